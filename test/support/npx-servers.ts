import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from './configs.js';
import { temporaryDirectory } from './launch.js';
import type { Registry, TestPackage } from './npm-registry.js';

const scriptedServer = fileURLToPath(new URL('../fixtures/scripted-server.mjs', import.meta.url));

/** A program that notes how it was started and is then the scripted server. */
export const serverProgram = `#!/usr/bin/env node
const { env, argv, execArgv, pid } = process;
const main = require.main && require.main.filename;
if (env.STARTS) require('node:fs').appendFileSync(env.STARTS, JSON.stringify({ pid, argv, execArgv, main, cwd: process.cwd(), env, package: __dirname }) + '\\n');
import(${JSON.stringify(scriptedServer)});
`;

/** What a program notes about its start. */
export interface NotedStart {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly main: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The directory of the program. */
  readonly package: string;
}

/** A package whose only program, of the same name, is a server. */
export function serverPackage(name: string, version = '1.0.0', more: Partial<TestPackage> = {}): TestPackage {
  return { name, version, bin: 'main.cjs', files: { 'main.cjs': serverProgram }, ...more };
}

/** Entries whose npm knows one registry, with a cache of its own for each test. */
export function createNpxEntries(registry: Pick<Registry, 'url'>) {
  const directory = temporaryDirectory();
  const starts = join(directory, 'starts.jsonl');
  const cache = join(directory, 'npm');
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: cache,
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    STARTS: starts,
  };
  return {
    cache,
    env,
    npx: (...args: string[]): ServerEntry => ({ command: 'npx', args, env }),
    starts: (): NotedStart[] =>
      existsSync(starts)
        ? readFileSync(starts, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  };
}
