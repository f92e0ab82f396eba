import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import type { Config, ServerConfig } from '../config.js';
import { parseConfig } from '../read/parse.js';

interface Place {
  readonly directory: string;
  /** Writes a file that only the user can read. */
  readonly write: (name: string, content: string | Buffer) => void;
  readonly load: (file: object, env?: Record<string, string>) => Config;
  /** The only server of a file with this entry. */
  readonly server: (entry: object, env?: Record<string, string>) => ServerConfig;
  readonly reason: (entry: object) => string;
}

function createPlace(): Place {
  const directory = temporaryDirectory();
  const options = { path: path.join(directory, 'c.json'), cwd: '/project', home: path.join(directory, 'home') };
  const load = (file: object, env = {}) => parseConfig(JSON.stringify(file), { ...options, env });
  const server = (entry: object, env = {}) =>
    [
      ...(load({ mcpServers: { api: entry } }, env)
        .toolboxes.get('default')
        ?.servers.values() ?? []),
    ][0] as ServerConfig;
  return {
    directory,
    write: (name, content) => writeFileSync(path.join(directory, name), content, { mode: 0o600 }),
    load,
    server,
    reason(entry) {
      const { target } = server(entry);
      return target.kind === 'broken' ? target.reason : '';
    },
  };
}

function envOf({ target }: ServerConfig): Record<string, string> {
  return target.kind === 'stdio' ? Object.fromEntries(target.env) : {};
}

describe('env files', () => {
  test('of the file, the toolbox and the server are merged; the nearest wins', () => {
    const { write, load, directory } = createPlace();
    write('file.env', 'A=file\nB=file\nC=file');
    write('toolbox.env', 'B=toolbox\nC=toolbox');
    write('server.env', 'C=server');
    write('defaults.env', 'D=defaults');
    const mcpServers = { own: { command: 'x', envFile: 'server.env' }, other: { command: 'x' } };
    const config = load({
      envFile: 'file.env',
      defaults: { envFile: 'defaults.env' },
      toolboxes: {
        dev: { description: 'd', envFile: 'toolbox.env', mcpServers },
        bare: { description: 'd', mcpServers: { other: { url: 'https://${A}.test' } } },
      },
    });
    const [own, other] = [...(config.toolboxes.get('dev')?.servers.values() ?? [])];
    expect(own && envOf(own)).toEqual({ A: 'file', B: 'toolbox', C: 'server' });
    expect(other && envOf(other)).toEqual({ A: 'file', B: 'toolbox', C: 'toolbox', D: 'defaults' });
    expect(config.toolboxes.get('bare')?.servers.get('other')?.target).toMatchObject({ url: 'https://file.test/' });
    expect(config.files).toEqual(
      ['file.env', 'toolbox.env', 'server.env', 'defaults.env'].map((name) => path.join(directory, name)),
    );
    expect(config.warnings).toEqual([]);
  });

  test('that cannot be read make their servers unavailable, and name their place', () => {
    const { load } = createPlace();
    const toolbox = { description: 'd', mcpServers: { a: { command: 'x' } } };
    const reasons = (file: object) =>
      [...(load(file).toolboxes.get('dev')?.servers.values() ?? [])].map(
        ({ target }) => target.kind === 'broken' && target.reason,
      );
    expect(reasons({ envFile: 'none', toolboxes: { dev: toolbox } })[0]).toMatch(
      /^config\.envFile: Cannot use the env file/,
    );
    expect(reasons({ toolboxes: { dev: { ...toolbox, envFile: 'none' } } })[0]).toMatch(
      /^config\.toolboxes\.dev\.envFile: /,
    );
    expect(reasons({ defaults: { envFile: 'none' }, toolboxes: { dev: toolbox } })[0]).toMatch(
      /^config\.defaults\.envFile: /,
    );
  });

  test('that others can read or change give one warning each, however many servers use them', () => {
    posixOnly('there are modes');
    const { write, load, directory } = createPlace();
    write('a.env', 'A=1');
    const mcpServers = { one: { command: 'x' }, two: { command: 'x' } };
    const warnings = (mode: number) => {
      chmodSync(path.join(directory, 'a.env'), mode);
      return load({ envFile: 'a.env', mcpServers }).warnings;
    };
    const file = path.join(directory, 'a.env');
    expect(warnings(0o600)).toEqual([]);
    expect(warnings(0o644)).toEqual([
      `config.envFile: other users can read the env file ${file}. Make it yours alone: chmod 600`,
    ]);
    expect(warnings(0o666)).toEqual([
      `config.envFile: other users can change the env file ${file}. Make it yours alone: chmod 600`,
    ]);
  });
});

describe('env_vars', () => {
  test('passes on the variables of the workbench that are set; env files and env override them', () => {
    const { write, server } = createPlace();
    write('a.env', 'B=file');
    const entry = { command: 'x', env_vars: ['A', 'B', 'C', 'NOT_SET'], envFile: 'a.env', env: { C: 'env' } };
    const resolved = server(entry, { A: 'ours', B: 'ours', C: 'ours', D: 'ours' });
    expect(envOf(resolved)).toEqual({ A: 'ours', B: 'file', C: 'env' });
    expect(resolved.secrets).toContainEqual({ name: 'A', value: 'ours' });
  });

  test('of the defaults is for servers without their own', () => {
    const { load } = createPlace();
    const mcpServers = {
      own: { command: 'x', env_vars: ['B'] },
      other: { command: 'x' },
      none: { command: 'x', env_vars: [] },
    };
    const config = load({ defaults: { env_vars: ['A'] }, mcpServers }, { A: 'a', B: 'b' });
    expect([...(config.toolboxes.get('default')?.servers.values() ?? [])].map(envOf)).toEqual([
      { B: 'b' },
      { A: 'a' },
      {},
    ]);
  });

  test('has no effect on a remote server, unless a program prints its variables', () => {
    const { load } = createPlace();
    const warningsOf = (entry: object) => load({ mcpServers: { a: { url: 'https://a.test', ...entry } } }).warnings;
    expect(warningsOf({ env_vars: ['A'] })).toEqual([
      expect.stringContaining('config.mcpServers.a.env_vars: This has no effect'),
    ]);
    expect(warningsOf({ env_vars: ['A'], envCommand: ['x'] })).toEqual([]);
  });
});

describe('a reference to a file', () => {
  test('is its text without the last newline, wherever a string may stand', () => {
    const { write, load, server, directory } = createPlace();
    mkdirSync(path.join(directory, 'home'));
    write('token', 'abc\ndef\r\n');
    write('bom', '\uFEFFx\n\n');
    write('home/key', 'deep');
    write('empty', '');
    const env = { A: '${file:token}', B: '<{file:bom}>', C: '${file:~/key}${file:empty}' };
    const resolved = server({ command: 'x', env });
    expect(envOf(resolved)).toEqual({ A: 'abc\ndef', B: '<x\n>', C: 'deep' });
    expect(resolved.secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(['abc\ndef', 'deep']));
    const remote = { url: 'https://a.test', headers: { Authorization: 'Bearer ${file:home/key}' } };
    expect(server(remote).target).toMatchObject({ headers: new Map([['Authorization', 'Bearer deep']]) });
    const names = ['token', 'bom', 'home/key', 'empty', 'none'];
    const files = load({ mcpServers: { a: { command: 'x', env, args: ['${file:none}'] } } }).files;
    expect(files.toSorted()).toEqual(names.map((name) => path.join(directory, name)).toSorted());
  });

  test('that does not work names the file, its place and the problem, and nothing of its content', () => {
    const { write, reason, directory } = createPlace();
    write('huge', 'x'.repeat(100_001));
    write('latin1', Buffer.from([0x41, 0xff]));
    write('utf16', Buffer.from('secret', 'utf16le'));
    mkdirSync(path.join(directory, 'directory'));
    symlinkSync('loop', path.join(directory, 'loop'));
    const problems = Object.entries({
      none: 'it does not exist',
      huge: 'it is larger than 0.1 MB',
      latin1: 'it is not UTF-8 text',
      utf16: 'it is not UTF-8 text',
      directory: 'it is a directory',
      loop: 'it cannot be read (ELOOP)',
    });
    for (const [name, problem] of problems) {
      const found = reason({ command: 'x', args: [`\${file:${name}}`] });
      expect(found).toContain(
        `config.mcpServers.api.args[0]: Cannot use the file ${path.join(directory, name)}: ${problem}`,
      );
      const envFile = reason({ command: 'x', envFile: name });
      // An env file may be larger.
      if (name !== 'huge') expect(envFile).toContain(`config.mcpServers.api.envFile: Cannot use the env file`);
    }
  });

  test('never waits for a pipe or reads a device', () => {
    posixOnly('there are pipes and devices in the file system');
    const { reason, directory } = createPlace();
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', path.join(directory, 'pipe')]);
    for (const file of ['pipe', '/dev/zero', '/dev/stdin'])
      expect(reason({ command: 'x', env: { A: `\${file:${file}}` } })).toMatch(
        /it is not a regular file|it does not exist|it cannot be read/,
      );
  });

  test('that others can read gives a warning', () => {
    posixOnly('there are modes');
    const { write, load, directory } = createPlace();
    write('token', 'abc');
    chmodSync(path.join(directory, 'token'), 0o640);
    const { warnings } = load({ mcpServers: { a: { command: 'x', args: ['${file:token}'] } } });
    chmodSync(path.join(directory, 'token'), 0o644);
    const more = load({ mcpServers: { a: { command: 'x', args: ['${file:token}'] } } }).warnings;
    expect([...warnings, ...more].at(-1)).toBe(
      `config.mcpServers.a: other users can read the file ${path.join(directory, 'token')}. Make it yours alone: chmod 600`,
    );
  });
});

describe('an entry with a program for its variables', () => {
  const envCommand = ['op', '${VAULT:-v}', '${file:token}'];

  test('is resolved without running anything, and its target is plain data', () => {
    const { write, server, directory } = createPlace();
    write('token', 'secret-1');
    write('a.env', 'FROM_FILE=1');
    const entry = { command: 'x', env: { A: '${PRINTED}' }, envCommand, envFile: 'a.env', env_vars: ['OURS'] };
    const { target, secrets } = server(entry, { OURS: '2', UNUSED: '3' });
    expect(target).toMatchObject({
      kind: 'late',
      envCommand: {
        words: ['op', 'v', 'secret-1'],
        env: new Map([
          ['OURS', '2'],
          ['FROM_FILE', '1'],
        ]),
        cwd: directory,
      },
      draft: { kind: 'stdio', command: 'x', args: [] },
    });
    expect(structuredClone(target)).toEqual(target);
    expect(JSON.stringify(target)).not.toContain('UNUSED');
    expect(secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(['secret-1', '1', '2']));
  });

  test('runs it in the directory of the server, if that is given', () => {
    const { server } = createPlace();
    expect(server({ command: 'x', cwd: '${workspaceFolder}', envCommand: ['y'] }).target).toMatchObject({
      envCommand: { cwd: path.resolve('/project') },
    });
  });

  test('cannot be used if the program itself needs a variable that is not set, or is empty', () => {
    const { reason } = createPlace();
    expect(reason({ command: 'x', envCommand: ['${GONE}'] })).toContain('GONE is not set (envCommand[0])');
    expect(reason({ command: 'x', envCommand: ['${GONE:-}', 'y'] })).toBe(
      'config.mcpServers.api.envCommand[0]: The program is empty.',
    );
  });

  test('has a fingerprint that changes with what it is made of, and with nothing else', () => {
    const { write, server } = createPlace();
    write('token', 'secret-1');
    const of = (entry: object, env = {}) =>
      server({ command: 'x', args: ['${PRINTED}'], envCommand, ...entry }, env).fingerprint;
    const first = of({});
    expect(of({}, { UNUSED: '1' })).toBe(first);
    expect(of({ toolFilters: ['a'], excludeTools: ['b'] })).toBe(first);
    const others = [
      of({ args: ['${PRINTED2}'] }),
      of({}, { PRINTED: '1' }),
      of({}, { VAULT: 'w' }),
      of({ envCommand: ['z'] }),
    ];
    write('token', 'secret-2');
    expect(new Set([first, of({}), ...others]).size).toBe(6);
  });
});
