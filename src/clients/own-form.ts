import path from 'node:path';
import { isRecord } from '../jsonrpc/json.js';
import type { Client } from './table/client.js';

/**
 * An entry of a client with its variables as a configuration has them. Its keys stay those of the client: the reader of
 * configurations takes them all. `project`: the directory that it is for.
 */
export function ownForm(client: Client, value: unknown, project: string | undefined): unknown {
  const write = (text: string) => plainReferences(withDirectories(withVariables(client, text), project));
  return mapped(client.name === 'zed' ? flattened(value) : value, write);
}

/** `${env:NAME}` means the same as `${NAME}`. */
export function plainReferences(text: string): string {
  return text.replaceAll(/(?<!\$)\$\{env:([A-Za-z_]\w*)\}/g, '${$1}');
}

/** The key that says whose entry it is: times are in seconds under `context_servers`. */
export function containerOf({ name }: Client): string {
  return name === 'zed' ? 'context_servers' : 'mcpServers';
}

/** A value with its strings changed. */
export function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change)]));
}

/** A text that is taken as it is. */
function literal(text: string): string {
  // In a replacement text, `$$` would be one.
  return text.replaceAll('${', () => '$${');
}

function withVariables({ variables }: Client, text: string): string {
  if (variables === 'none') return literal(text);
  if (variables === 'braces') return literal(text).replaceAll(/\{env:([A-Za-z_]\w*)\}/g, '${$1}');
  return variables === 'dollar' ? text.replaceAll(/\$(?=[A-Za-z_])(\w+)/g, '${$1}') : text;
}

/** Editors have more names for the directory that they work in. In an entry for no project it is known at the start. */
function withDirectories(text: string, project: string | undefined): string {
  if (!text.includes('${')) return text;
  const values: Readonly<Record<string, string | undefined>> = {
    workspaceFolder: project,
    workspaceFolderBasename: project && path.basename(project),
    pathSeparator: path.sep,
    '/': path.sep,
  };
  return text.replaceAll(
    /(?<!\$)\$\{(workspaceFolder|workspaceFolderBasename|pathSeparator|\/)\}/g,
    (all, name: string) => {
      const value = values[name];
      return value === undefined ? all : literal(value);
    },
  );
}

/** An older form of Zed: the command is an object with path, arguments and variables. */
function flattened(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['command'])) return value;
  const { path: program, args, env } = value['command'];
  return { ...value, command: program, ...(args !== undefined && { args }), ...(isRecord(env) && { env }) };
}
