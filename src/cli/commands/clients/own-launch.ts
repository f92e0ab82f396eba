import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { OwnFiles } from '../../../clients/own-files.js';
import { lastingScript } from '../../../clients/own-files.js';
import type { Launch } from '../../../clients/table/client.js';
import { isRecord } from '../../../jsonrpc/json.js';
import type { Computer } from '../../../platform/computer.js';
import { version } from '../../../platform/version.js';

/** This program: the parts are beside `main.js`. */
export function ownFiles(): OwnFiles {
  return { node: process.execPath, script: path.join(import.meta.dirname, 'main.js'), version };
}

/** How a client of this user starts the workbench: by absolute paths, because clients have other directories and PATHs. */
export function userLaunch(config: string, variables: readonly string[], computer: Computer): Launch {
  const own = ownFiles();
  return { command: own.node, args: [lastingScript(own, computer), '--config', config], variables };
}

/** The same for a file that others get by git: nothing in it depends on this computer. */
export function sharedLaunch(config: string, variables: readonly string[]): Launch {
  return { command: 'npx', args: ['-y', `mcp-workbench@${version}`, '--config', config], variables };
}

/** Whether others could not install this version: it did not come from a registry. */
export function isUnpublished({ script }: OwnFiles): boolean {
  const modules = /^(.*[/\\]node_modules)[/\\]mcp-workbench[/\\]dist[/\\]main\.js$/.exec(script)?.[1];
  if (modules === undefined || /[/\\]mcp-workbench@(?:file|link)/.test(script)) return true;
  const resolved = resolvedIn(path.join(modules, '.package-lock.json'));
  return resolved !== undefined && !/^https?:/.test(resolved);
}

/** Where npm says that it has the package from. */
function resolvedIn(lock: string): string | undefined {
  if (!existsSync(lock)) return undefined;
  try {
    const content: unknown = JSON.parse(readFileSync(lock, 'utf8'));
    const packages = isRecord(content) ? content['packages'] : undefined;
    const own = isRecord(packages) ? packages['node_modules/mcp-workbench'] : undefined;
    return isRecord(own) && typeof own['resolved'] === 'string' ? own['resolved'] : undefined;
  } catch {
    return undefined;
  }
}
