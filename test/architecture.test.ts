import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type GlobalRule,
  globalFaults,
  importCycles,
  importFaults,
  type Sources,
  type Zone,
} from './support/architecture.js';

const root = fileURLToPath(new URL('..', import.meta.url));

// Who may import whom. `leaf` is every file at the root of src/ but index.ts and main.ts. Dynamic imports count.
const everything = {
  leaf: 'values',
  config: 'values',
  workbench: 'values',
  downstream: 'values',
  server: 'values',
  cli: 'values',
} as const;
const zones: Readonly<Record<string, Zone>> = {
  leaf: { may: {}, sdk: 'types' },
  config: { may: { leaf: 'values' } },
  workbench: { may: { leaf: 'values', config: 'types' }, sdk: 'types' },
  downstream: {
    may: { leaf: 'values', config: 'values', workbench: { files: ['workbench/downstream.ts'] } },
    sdk: '@modelcontextprotocol/client',
  },
  server: { may: { leaf: 'values', workbench: 'values' }, sdk: '@modelcontextprotocol/server' },
  'getting-started': { may: { leaf: 'values', config: 'values' }, sdk: '@modelcontextprotocol/server' },
  cli: { may: { ...everything, index: 'values' } },
  index: { may: everything },
  main: { may: { ...everything, index: 'values' } },
};

const globalRules: readonly GlobalRule[] = [
  {
    use: 'process',
    members: ['env'],
    allowedIn: ['main', 'cli', 'getting-started/main.ts'],
    atCallTimeIn: ['index'],
  },
  { use: 'process', members: ['argv', 'exit', 'exitCode'], allowedIn: ['main', 'cli', 'getting-started/main.ts'] },
  { use: 'process', members: ['stdout'], allowedIn: ['main', 'cli', 'server'] },
  { use: 'console', members: ['*'], allowedIn: ['main', 'cli', 'server'] },
];

const sources = filesUnder('src', (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));

describe('the source', () => {
  test('is found', () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(['main.ts', 'index.ts', 'errors.ts']));
  });

  test('imports only in the directions of the design', () => {
    expect(importFaults(sources, zones)).toEqual([]);
  });

  test('has no import cycles', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('reads its surroundings and writes to stdout in few, known places', () => {
    expect(globalFaults(sources, globalRules)).toEqual([]);
  });

  test('and its tests refer to nothing beside the project', () => {
    expect(
      [...filesUnder('src'), ...filesUnder('test')].filter(([, code]) => leavesProject(code)).map(([path]) => path),
    ).toEqual([]);
  });
});

describe('the checker', () => {
  const check = (path: string, code: string) => importFaults(project({ [path]: code }), zones);

  test.each([
    ['errors.ts', `import { c } from './config/config.js';`, 'leaf may not import config'],
    ['errors.ts', `import { Client } from '@modelcontextprotocol/client';`, 'only types of the SDK'],
    ['config/load.ts', `import type { W } from '../workbench/workbench.js';`, 'config may not import workbench'],
    ['config/load.ts', `import type { Tool } from '@modelcontextprotocol/server';`, 'this zone does not know the SDK'],
    ['workbench/open.ts', `import { c } from '../config/config.js';`, 'types only'],
    ['workbench/open.ts', `import { type C } from '../config/config.js';`, 'types only'],
    ['workbench/open.ts', `import { d } from '../downstream/connect.js';`, 'workbench may not import downstream'],
    ['workbench/open.ts', `import { z } from '@modelcontextprotocol/core';`, 'only types of the SDK'],
    ['downstream/http.ts', `import { s } from '../server/serve.js';`, 'downstream may not import server'],
    [
      'downstream/http.ts',
      `import type { W } from '../workbench/workbench.js';`,
      'of workbench only workbench/downstream.ts',
    ],
    [
      'downstream/http.ts',
      `import type { S } from '@modelcontextprotocol/server';`,
      'of the SDK only @modelcontextprotocol/client',
    ],
    ['server/tools.ts', `export * from '../downstream/connect.js';`, 'server may not import downstream'],
    ['server/tools.ts', `const d = await import('../downstream/connect.js');`, 'server may not import downstream'],
    ['server/tools.ts', `let c: import('../config/config.js').Config;`, 'server may not import config'],
    [
      'server/tools.ts',
      `import { Client } from '@modelcontextprotocol/client/stdio';`,
      'of the SDK only @modelcontextprotocol/server',
    ],
    [
      'getting-started/main.ts',
      `import { w } from '../workbench/workbench.js';`,
      'getting-started may not import workbench',
    ],
    ['cli/help.ts', `import type { Tool } from '@modelcontextprotocol/client';`, 'this zone does not know the SDK'],
    ['main.ts', `import { serveStdio } from '@modelcontextprotocol/server/stdio';`, 'this zone does not know the SDK'],
    ['server/tools.ts', `import { m } from '../main.js';`, 'server may not import main'],
    ['server/tools.ts', `await import(name);`, 'a computed import cannot be checked'],
    ['server/tools.ts', `import { exit } from 'node:process';`, 'use the globals'],
    ['server/tools.ts', `import { x } from '../../test/support/agent.js';`, 'it is no source file of ours'],
    ['config/load.ts', `import { z } from 'zod';`, 'write `import * as z`'],
    ['stuff/things.ts', `import { x } from '../errors.js';`, `no rule for the zone 'stuff'`],
  ])('in %s refuses %s', (path, code, reason) => {
    expect(check(path, code)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    ['errors.ts', `import { l } from './log.js'; import type { Tool } from '@modelcontextprotocol/client';`],
    [
      'config/load.ts',
      `import { readFileSync } from 'node:fs'; import * as z from 'zod'; import { e } from '../errors.js';`,
    ],
    ['workbench/open.ts', `import type { C } from '../config/config.js'; import { e } from '../errors.js';`],
    ['downstream/http.ts', `import { c } from '../config/config.js'; import { D } from '../workbench/downstream.js';`],
    ['downstream/http.ts', `const { Client } = await import('@modelcontextprotocol/client');`],
    [
      'server/tools.ts',
      `import { w } from '../workbench/workbench.js'; import { M } from '@modelcontextprotocol/server/stdio';`,
    ],
    ['main.ts', `import { s } from './server/serve.js'; import { d } from './downstream/connect.js';`],
  ])('in %s accepts %s', (path, code) => {
    expect(check(path, code)).toEqual([]);
  });

  test('names the file and the line', () => {
    expect(check('server/tools.ts', `\n\nimport { d } from '../downstream/connect.js';`)).toEqual([
      "server/tools.ts:3 imports '../downstream/connect.js': server may not import downstream",
    ]);
  });

  test('finds a cycle through three files, types included, and none where there is none', () => {
    const circle = {
      'log.ts': `import './types.js'`,
      'types.ts': `import type { E } from './errors.js'`,
      'errors.ts': `export * from './log.js'`,
    };
    expect(importCycles(project(circle))).toEqual([expect.stringMatching(/^(\w+\.ts → ){3}\w+\.ts$/)]);
    expect(importCycles(project({ ...circle, 'errors.ts': '' }))).toEqual([]);
  });

  test.each([
    ['workbench/open.ts', `const limit = process.env.LIMIT;`],
    ['workbench/open.ts', `const { env } = process;`],
    ['workbench/open.ts', `const env = process['env'];`],
    ['index.ts', `const limit = process.env.LIMIT;`],
    ['index.ts', `export function f() { process.exit(1); }`],
    ['server/serve.ts', `process.exitCode = 1;`],
    ['config/load.ts', `const file = process.argv[2];`],
    ['downstream/stdio.ts', `process.stdout.write('x');`],
    ['getting-started/main.ts', `process.stdout.write('x');`],
    ['log.ts', `console.error('x');`],
    ['log.ts', `[1].forEach(console.log);`],
  ])('in %s refuses %s', (path, code) => {
    expect(globalFaults(project({ [path]: code }), globalRules)).toHaveLength(1);
  });

  test.each([
    ['main.ts', `process.exit(process.env.X ? 1 : process.argv.length);`],
    ['index.ts', `export function f(env = process.env) { return env; }`],
    ['server/serve.ts', `process.stdout.write('x');`],
    ['downstream/stdio.ts', `process.platform; process.kill(1); child.process; const o = { process: 1, console: 2 };`],
  ])('in %s accepts %s', (path, code) => {
    expect(globalFaults(project({ [path]: code }), globalRules)).toEqual([]);
  });

  test('sees a reference that leaves the project', () => {
    expect(leavesProject(`import '${['..', 'shared'].join('/')}/x.js'`)).toBe(true);
    expect(leavesProject(`import './shared/x.js'`)).toBe(false);
  });
});

/** The made-up files beside ones that every rule can refer to. */
function project(files: Readonly<Record<string, string>>): Sources {
  const known = [
    'errors',
    'log',
    'main',
    'index',
    'config/config',
    'workbench/workbench',
    'workbench/downstream',
    'downstream/connect',
    'server/serve',
  ];
  return new Map([...known.map((name) => [`${name}.ts`, ''] as const), ...Object.entries(files)]);
}

function leavesProject(code: string): boolean {
  return code.includes(['..', 'shared'].join('/'));
}

function filesUnder(folder: string, wanted: (path: string) => boolean = () => true): Sources {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) =>
    relative(join(root, folder), join(entry.parentPath, entry.name)).split(sep).join('/'),
  );
  // What is installed under test/ is not of the project.
  const own = paths.filter((path) => !path.includes('node_modules/') && wanted(path));
  return new Map(own.map((path) => [path, readFileSync(join(root, folder, path), 'utf8')]));
}
