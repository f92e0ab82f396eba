import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  folderCycles,
  type GlobalRule,
  globalFaults,
  importCycles,
  importFaults,
  type Sources,
  unusedPermissions,
  type Zone,
} from './support/architecture.js';

const root = fileURLToPath(new URL('..', import.meta.url));

// Who may import whom, by folder of src/; index.ts, main.ts and compose.ts are zones of their own. Dynamic imports count.
const leaves = {
  limits: 'values',
  jsonrpc: 'values',
  text: 'values',
  contract: 'values',
  results: 'values',
  platform: 'values',
} as const;
const ports = { folders: ['workbench/ports', 'workbench/asking', 'workbench/failures'] } as const;
const engine = {
  ...leaves,
  config: 'values',
  workbench: 'values',
  downstream: 'values',
  session: 'values',
  observe: 'values',
} as const;
const served = { ...engine, compose: 'values', serve: 'values' } as const;
const zones: Readonly<Record<string, Zone>> = {
  limits: { may: {} },
  jsonrpc: { may: { limits: 'values' } },
  text: { may: {} },
  contract: { may: { jsonrpc: 'values', text: 'values' } },
  results: { may: { jsonrpc: 'values', text: 'values', contract: 'values', limits: 'values' } },
  platform: { may: { contract: 'values', jsonrpc: 'values', limits: 'values' } },
  config: { may: leaves },
  clients: { may: { ...leaves, config: 'values' } },
  setup: { may: { ...leaves, config: 'values', clients: 'values' } },
  workbench: { may: { ...leaves, config: 'values' } },
  downstream: { may: { ...leaves, config: 'values', workbench: ports } },
  session: { may: { ...leaves, config: 'values', workbench: 'values' } },
  observe: { may: { ...leaves, workbench: { folders: ['workbench/ports'] } } },
  // Of the engine only what reads the files that it leaves, and the one function that decides which tools exist.
  inspect: {
    may: {
      ...leaves,
      config: 'values',
      observe: 'values',
      downstream: { folders: ['downstream/cache'] },
      workbench: { folders: ['workbench/rules'] },
    },
  },
  page: { may: { ...leaves, inspect: 'values' } },
  'getting-started': { may: { ...leaves, config: 'values', session: 'values', serve: 'values' } },
  compose: { may: engine },
  serve: { may: { ...engine, compose: 'values' } },
  cli: { may: { ...served, clients: 'values', setup: 'values', inspect: 'values', page: 'values' } },
  index: { may: { ...engine, compose: 'values' } },
  main: { may: { ...served, cli: 'values' } },
};

const globalRules: readonly GlobalRule[] = [
  {
    use: 'process',
    members: ['env'],
    allowedIn: ['main', 'cli', 'serve/stdio/serve.ts', 'serve/host/process/main.ts', 'getting-started/main.ts'],
    atCallTimeIn: ['index'],
  },
  {
    use: 'process',
    members: ['argv', 'exit', 'exitCode'],
    allowedIn: ['main', 'cli', 'serve/stdio/serve.ts', 'serve/host/process/main.ts', 'getting-started/main.ts'],
  },
  {
    use: 'process',
    members: ['stdout'],
    allowedIn: ['main', 'cli', 'serve/stdio/serve.ts', 'getting-started/main.ts'],
  },
  { use: 'console', members: ['*'], allowedIn: ['main', 'cli'] },
];

const sources = filesUnder('src', (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));

describe('the source', () => {
  test('is found', () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(['main.ts', 'index.ts', 'contract/errors.ts']));
  });

  test('imports only in the directions of the table', () => {
    expect(importFaults(sources, zones)).toEqual([]);
  });

  test('has no import cycles', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('makes use of every permission, but for leaves that all folders above them may import', () => {
    const isGeneral = (permission: string) => Object.keys(leaves).includes(permission.split(' → ')[1] ?? '');
    const unused = unusedPermissions(sources, zones).filter((permission) => {
      const [zone = ''] = permission.split(' → ');
      return !isGeneral(permission) || Object.keys(leaves).includes(zone);
    });
    // These put everything together, and more of them come with each command.
    expect(unused.filter((permission) => !/^(compose|host|cli|index|main) /.test(permission))).toEqual([]);
  });

  test('has no cycles between folders', () => {
    expect(folderCycles(sources)).toEqual([]);
  });

  test('uses the environment, arguments, exit and stdout only in listed places', () => {
    expect(globalFaults(sources, globalRules)).toEqual([]);
  });

  test('and its tests refer to nothing outside of the project', () => {
    expect(
      [...filesUnder('src'), ...filesUnder('test')].filter(([, code]) => leavesProject(code)).map(([path]) => path),
    ).toEqual([]);
  });
});

describe('the checker', () => {
  const check = (path: string, code: string) => importFaults(project({ [path]: code }), zones);

  test.each([
    ['jsonrpc/lines.ts', `import { c } from '../config/config.js';`, 'jsonrpc may not import config'],
    ['text/shorten.ts', `import { e } from '../contract/errors.js';`, 'text may not import contract'],
    [
      'contract/types.ts',
      `import type { T } from '@modelcontextprotocol/client';`,
      'of the SDK only downstream/http and downstream/oauth may import the client',
    ],
    ['config/load.ts', `import type { W } from '../workbench/workbench.js';`, 'config may not import workbench'],
    ['observe/status/board.ts', `import type { C } from '../../config/config.js';`, 'observe may not import config'],
    ['workbench/open.ts', `import { d } from '../downstream/connect.js';`, 'workbench may not import downstream'],
    [
      'downstream/http/sse.ts',
      `import { S } from '@modelcontextprotocol/server';`,
      'of the SDK only downstream/http and downstream/oauth may import the client',
    ],
    ['downstream/http.ts', `import { s } from '../session/session.js';`, 'downstream may not import session'],
    ['downstream/http.ts', `import type { W } from '../workbench/workbench.js';`, 'of workbench only workbench/ports'],
    ['session/tools.ts', `export * from '../downstream/connect.js';`, 'session may not import downstream'],
    ['session/tools.ts', `const d = await import('../downstream/connect.js');`, 'session may not import downstream'],
    ['session/tools.ts', `let c: import('../downstream/connect.js').C;`, 'session may not import downstream'],
    [
      'getting-started/main.ts',
      `import { Client } from '@modelcontextprotocol/client/stdio';`,
      'of the SDK only downstream/http and downstream/oauth may import the client',
    ],
    [
      'getting-started/main.ts',
      `import { w } from '../workbench/workbench.js';`,
      'getting-started may not import workbench',
    ],
    [
      'cli/help.ts',
      `import type { Tool } from '@modelcontextprotocol/client';`,
      'of the SDK only downstream/http and downstream/oauth may import the client',
    ],
    ['compose.ts', `import { m } from './main.js';`, 'compose may not import main'],
    ['page/server/serve-page.ts', `import { d } from '../../downstream/connect.js';`, 'page may not import downstream'],
    ['page/server/serve-page.ts', `import { w } from '../../workbench/workbench.js';`, 'page may not import workbench'],
    ['inspect/read.ts', `import { w } from '../workbench/workbench.js';`, 'of workbench only workbench/rules'],
    ['inspect/read.ts', `import { d } from '../downstream/connect.js';`, 'of downstream only downstream/cache'],
    ['inspect/read.ts', `import { s } from '../session/session.js';`, 'inspect may not import session'],
    ['inspect/read.ts', `import { c } from '../compose.js';`, 'inspect may not import compose'],
    ['session/tools.ts', `import { m } from '../main.js';`, 'session may not import main'],
    ['session/tools.ts', `await import(name);`, 'a computed import cannot be checked'],
    ['session/tools.ts', `import { exit } from 'node:process';`, 'use the globals'],
    ['session/tools.ts', `import { x } from '../../test/support/agent.js';`, 'it is not a source file of this project'],
    ['config/load.ts', `import { z } from 'zod';`, 'write `import * as z`'],
    ['stuff/things.ts', `import { x } from '../contract/errors.js';`, `no rule for the zone 'stuff'`],
  ])('in %s refuses %s', (path, code, reason) => {
    expect(check(path, code)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    [
      'config/load.ts',
      `import { readFileSync } from 'node:fs'; import * as z from 'zod'; import { e } from '../contract/errors.js';`,
    ],
    ['workbench/open.ts', `import type { C } from '../config/config.js'; import { e } from '../contract/errors.js';`],
    [
      'downstream/http.ts',
      `import { c } from '../config/config.js'; import { D } from '../workbench/ports/downstream.js';`,
    ],
    ['session/tools.ts', `import { w } from '../workbench/workbench.js';`],
    ['getting-started/main.ts', `import { s } from '../session/session.js';`],
    ['main.ts', `import { s } from './session/session.js'; import { d } from './compose.js';`],
  ])('in %s accepts %s', (path, code) => {
    expect(check(path, code)).toEqual([]);
  });

  test('names the file and the line', () => {
    expect(check('session/tools.ts', `\n\nimport { d } from '../downstream/connect.js';`)).toEqual([
      "session/tools.ts:3 imports '../downstream/connect.js': session may not import downstream",
    ]);
  });

  test('finds a cycle through three files, types included, and reports none without one', () => {
    const circle = {
      'jsonrpc/a.ts': `import './b.js'`,
      'jsonrpc/b.ts': `import type { E } from './c.js'`,
      'jsonrpc/c.ts': `export * from './a.js'`,
    };
    expect(importCycles(project(circle))).toEqual([expect.stringMatching(/^([\w/]+\.ts → ){3}[\w/]+\.ts$/)]);
    expect(importCycles(project({ ...circle, 'jsonrpc/c.ts': '' }))).toEqual([]);
  });

  test('finds a cycle between folders without a cycle between files', () => {
    const files = {
      'session/a.ts': `import './inner/b.js'`,
      'session/inner/b.ts': `import '../c.js'`,
      'session/c.ts': '',
    };
    expect(importCycles(project(files))).toEqual([]);
    expect(folderCycles(project(files))).toEqual(['session → session/inner → session']);
    expect(folderCycles(project({ ...files, 'session/inner/b.ts': '' }))).toEqual([]);
  });

  test.each([
    ['workbench/open.ts', `const limit = process.env.LIMIT;`],
    ['workbench/open.ts', `const { env } = process;`],
    ['workbench/open.ts', `const env = process['env'];`],
    ['index.ts', `const limit = process.env.LIMIT;`],
    ['index.ts', `export function f() { process.exit(1); }`],
    ['session/serve.ts', `process.exitCode = 1;`],
    ['config/load.ts', `const file = process.argv[2];`],
    ['downstream/stdio.ts', `process.stdout.write('x');`],
    ['getting-started/server.ts', `process.stdout.write('x');`],
    ['platform/log.ts', `console.error('x');`],
    ['session/session.ts', `[1].forEach(console.log);`],
  ])('in %s refuses %s', (path, code) => {
    expect(globalFaults(project({ [path]: code }), globalRules)).toHaveLength(1);
  });

  test.each([
    ['main.ts', `process.exit(process.env.X ? 1 : process.argv.length);`],
    ['index.ts', `export function f(env = process.env) { return env; }`],
    ['cli/output.ts', `process.stdout.write('x');`],
    ['downstream/stdio.ts', `process.platform; process.kill(1); child.process; const o = { process: 1, console: 2 };`],
  ])('in %s accepts %s', (path, code) => {
    expect(globalFaults(project({ [path]: code }), globalRules)).toEqual([]);
  });

  test('finds a reference that leaves the project', () => {
    expect(leavesProject(`import '${['..', 'shared'].join('/')}/x.js'`)).toBe(true);
    expect(leavesProject(`import './shared/x.js'`)).toBe(false);
  });
});

/** These files, plus one for every zone that a rule can refer to. */
function project(files: Readonly<Record<string, string>>): Sources {
  const known = [
    'main',
    'index',
    'compose',
    'contract/errors',
    'config/config',
    'workbench/workbench',
    'workbench/ports/downstream',
    'downstream/connect',
    'session/session',
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
  // Packages installed under test/ do not belong to the project.
  const own = paths.filter((path) => !path.includes('node_modules/') && wanted(path));
  return new Map(own.map((path) => [path, readFileSync(join(root, folder, path), 'utf8')]));
}
