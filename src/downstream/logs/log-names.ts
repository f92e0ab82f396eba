import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ServerConfig } from '../../config/config.js';
import { sha256 } from '../../platform/crypto.js';

const longestName = 200;

export type ServerName = Pick<ServerConfig, 'toolbox' | 'name'>;

/**
 * `DIRECTORY/TOOLBOX/SERVER.log`, or `SERVER.2.log` for the second of several processes with these names. No other server has
 * such a file name: its dot would be encoded.
 */
export function serverLogFile(directory: string, { toolbox, name }: ServerName, number = 1): string {
  const suffix = number === 1 ? '' : `.${number}`;
  return path.join(directory, fileNameOf(toolbox), `${fileNameOf(name)}${suffix}.log`);
}

/** The log of the first process with its names, the second, and so on. */
export interface NumberedFile {
  readonly path: string;
  readonly number: number;
}

/** Of every process with these names: that of the first, whether it exists or not, and those of others that exist. */
export function serverLogFiles(directory: string, server: ServerName): NumberedFile[] {
  const first = serverLogFile(directory, server);
  const begin = `${path.basename(first, '.log')}.`;
  const others = filesIn(path.dirname(first))
    .filter((file) => file.startsWith(begin) && /^\d+\.log$/.test(file.slice(begin.length)))
    .map((file) => Number.parseInt(file.slice(begin.length), 10))
    .sort((a, b) => a - b);
  return [1, ...others].map((number) => ({ number, path: serverLogFile(directory, server, number) }));
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The log of the workbench itself. No toolbox has this name as a file: its dot would be encoded. */
export function ownLogFile(directory: string): string {
  return path.join(directory, 'workbench.log');
}

/** A name as a file name: percent-encoded, so that no name leads to another directory or collides with another. */
export function fileNameOf(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /[.!'()*~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (encoded.length <= longestName) return encoded;
  return `${encoded.slice(0, longestName - 20)}~${sha256(name).slice(0, 16)}`;
}
