import { fileURLToPath } from 'node:url';
import type { ServerEntry } from './configs.js';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const scriptedServer = file('../fixtures/scripted-server.mjs');

/** An entry for the scripted server; its flags are explained at the top of test/fixtures/scripted-server.mjs. */
export function fixture(...flags: (string | number)[]): ServerEntry {
  return { command: process.execPath, args: [scriptedServer, ...flags.map(String)] };
}

/** A scripted server that lists exactly these tools, whatever their names contain. */
export function fixtureWith(tools: readonly unknown[], ...flags: (string | number)[]): ServerEntry {
  // In a configuration `$${` stands for `${`, which would refer to a variable.
  return fixture(
    '--tools-json',
    JSON.stringify(tools).replaceAll('${', () => '$${'),
    ...flags,
  );
}

const installed = (packageName: string, ...args: string[]): ServerEntry => ({
  command: process.execPath,
  args: [file(`../../node_modules/${packageName}/dist/index.js`), ...args],
});

/** Published servers. */
export const real = {
  memory: (memoryFile: string): ServerEntry => ({
    ...installed('@modelcontextprotocol/server-memory'),
    env: { MEMORY_FILE_PATH: memoryFile },
  }),
  filesystem: (dir: string): ServerEntry => installed('@modelcontextprotocol/server-filesystem', dir),
  everything: (): ServerEntry => installed('@modelcontextprotocol/server-everything'),
  /** Of 2026-07-28. */
  context7: (): ServerEntry => installed('@upstash/context7-mcp'),
  /** Of 2024-11-05. */
  github: (): ServerEntry => installed('@modelcontextprotocol/server-github'),
};
