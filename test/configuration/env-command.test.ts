import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { connectAgent as startAgent, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { connectAgent, endEngine } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { markerVariable, processesWith } from '../support/processes.js';
import { overHttp } from '../support/remote.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const program = fileURLToPath(new URL('../fixtures/print-variables.mjs', import.meta.url));

/** An entry whose variables a program prints. The program gets the marker, so that it is found if it is left. */
function printing(...steps: string[]): ServerEntry {
  return { ...fixture(), envCommand: [process.execPath, program, ...steps], env_vars: [markerVariable] };
}

async function environmentWith(entry: ServerEntry, more: object = {}): Promise<Record<string, string>> {
  const agent = await connectAgent('v2 modern', { config: { ...devToolbox({ any: entry }), ...more } });
  return JSON.parse(text(await agent.use('dev', 'any', 'env')));
}

async function reasonWith(entry: ServerEntry): Promise<string> {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: entry, good: fixture() }) });
  const opened = JSON.parse(text(await agent.open('dev')));
  expect(opened.servers_connected).toBe(1);
  expect(opened.unavailable).toHaveLength(1);
  return opened.unavailable[0].reason;
}

describe('a program that prints variables', () => {
  test('gives them to its server: lines, also without a newline at the end', async () => {
    const printed = ['out:# tokens\nexport TOKEN="from op"\nPLAIN=a=b\nLAST=end'];
    expect(await environmentWith(printing(...printed))).toMatchObject({ TOKEN: 'from op', PLAIN: 'a=b', LAST: 'end' });
  });

  test('gives them as JSON, where null is a variable that is not set', async () => {
    const json = JSON.stringify({ TOKEN: 'a "b"\nc', EMPTY: '', GONE: null });
    const given = await environmentWith(printing(`out:\n ${json}\n`));
    expect(given).toMatchObject({ TOKEN: 'a "b"\nc', EMPTY: '' });
    expect(given).not.toHaveProperty('GONE');
  });

  test('may print nothing', async () => {
    expect(await environmentWith(printing())).toHaveProperty('PATH');
  });

  test('overrides env files and is overridden by env; its variables can be used in the entry', async () => {
    const dir = temporaryDirectory();
    const file = (name: string, content: string) => {
      writeFileSync(join(dir, name), content, { mode: 0o600 });
      return join(dir, name);
    };
    const entry = {
      ...printing('out:A=command\nB=command\nC=command'),
      envFile: file('server.env', 'A=server\nE=server'),
      env: { B: 'env', USED: '<${C}>' },
    };
    const toolbox = {
      description: 'd',
      envFile: file('toolbox.env', 'E=toolbox\nF=toolbox\nG=toolbox'),
      mcpServers: { any: entry },
    };
    const config = { envFile: file('file.env', 'G=file\nH=file'), toolboxes: { dev: toolbox } };
    expect(await environmentWith(entry, config)).toMatchObject({
      ...{ A: 'command', B: 'env', C: 'command', USED: '<command>' },
      ...{ E: 'server', F: 'toolbox', G: 'toolbox', H: 'file' },
    });
  });

  test('runs in the directory of the configuration, with the variables of env files and env_vars only', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'a.env'), 'FROM_FILE=file', { mode: 0o600 });
    const entry = {
      ...printing('cwd', 'env:FROM_FILE', 'env:PASSED', 'env:NOT_PASSED'),
      envFile: join(dir, 'a.env'),
      env_vars: [markerVariable, 'PASSED', 'NOT_SET'],
    };
    const agent = await connectAgent('v2 modern', {
      config: devToolbox({ any: entry }),
      env: { PASSED: 'passed', NOT_PASSED: 'secret' },
    });
    const given = JSON.parse(text(await agent.use('dev', 'any', 'env')));
    expect(given).toMatchObject({ FROM_FILE: 'file', PASSED: 'passed', NOT_PASSED: 'not set' });
    expect(readFileSync(join(given.DIRECTORY, 'workbench-config.json'), 'utf8')).toContain('NOT_SET');
    expect(given).not.toHaveProperty('NOT_SET');
  });

  test('of the defaults is for servers without one of their own; an empty list is none', async () => {
    const { envCommand, ...plain } = printing('out:FROM=defaults');
    const servers = { any: plain, own: printing('out:FROM=own'), none: { ...plain, envCommand: [] } };
    const agent = await connectAgent('v2 modern', { config: { ...devToolbox(servers), defaults: { envCommand } } });
    const froms = await Promise.all(
      Object.keys(servers).map(async (name) => JSON.parse(text(await agent.use('dev', name, 'env'))).FROM),
    );
    expect(froms).toEqual(['defaults', 'own', undefined]);
  });

  test('is run once per start, and by nothing else', async () => {
    const runs = join(temporaryDirectory(), 'runs');
    const count = () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0);
    const servers = { any: printing(`count:${runs}`, 'out:A=b'), other: fixture() };
    const agent = await connectAgent('v2 legacy', { config: devToolbox(servers) });
    await agent.listTools();
    await agent.use('dev', 'other', 'echo');
    expect(count()).toBe(0);
    await Promise.all([agent.open('dev'), agent.open('dev'), agent.use('dev', 'any', 'echo')]);
    expect(count()).toBe(1);
    await agent.use('dev', 'any', 'crash', { with: 1 });
    await agent.use('dev', 'any', 'echo');
    expect(count()).toBe(2);
  });

  test('gives variables for the url and headers of a remote server', async () => {
    const remote = await overHttp(fixture());
    const entry = {
      url: '${WHERE}',
      headers: { 'X-Token': 'Bearer ${TOKEN}' },
      envCommand: [process.execPath, program, `out:WHERE=${remote.url}\nTOKEN=canary-0123456789`],
      env_vars: [markerVariable],
    };
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: entry }) });
    const opened = JSON.parse(text(await agent.open('dev')));
    expect(opened.servers_connected).toBe(1);
    expect(remote.sent('tools/list').map(({ headers }) => headers['x-token'])).toEqual(['Bearer canary-0123456789']);
  });
});

describe('a program that fails', () => {
  test('makes its server unavailable, with the exit code and the last line of stderr', async () => {
    const reason = await reasonWith(printing('err:first', 'err:not signed in', 'exit:7'));
    expect(reason).toContain(`its envCommand '${process.execPath}' exited with code 7`);
    expect(reason).toContain('last stderr line: not signed in');
    expect(reason).not.toContain('first');
  });

  test('shows nothing of what it has printed before, neither in the reason nor in the log', async () => {
    const steps = ['out:TOKEN=canary-0123456789\n', 'err:bad token canary-0123456789', 'exit:1'];
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: printing(...steps) }) });
    expect(text(await agent.open('dev'))).toContain('bad token ***');
    await agent.close();
    await endEngine();
    expect(agent.stderr()).not.toContain('canary-0123456789');
    const log = await until(() => {
      const files = readdirSync(agent.dir, { recursive: true, encoding: 'utf8' });
      const written = readFileSync(join(agent.dir, files.find((name) => name.endsWith('any.log')) ?? ''), 'utf8');
      return written.includes('bad token ***') && written;
    });
    expect(log).not.toContain('canary-0123456789');
  });

  test.each([
    ['prints 10 MB', ['big:10000000'], 'printed more than 1 MB'],
    [
      'prints something else',
      ['out:Usage: op [command]\n'],
      'printed neither NAME=value lines nor a JSON object of strings',
    ],
    ['prints broken JSON', ['out:{"A":'], 'printed neither NAME=value lines nor a JSON object of strings'],
    ['prints JSON of other values', ['out:{"A":{"b":"c"}}'], 'A is not a string'],
    ['prints a value with a NUL character', ['out:{"A":"b\\u0000"}'], 'printed neither'],
    [
      'prints bytes that are no text',
      ['out:A=', 'hex:ff'],
      'printed text that is not UTF-8; it wrote nothing to stderr',
    ],
    [
      'fails after 100000 lines on stderr',
      ['lines:100000', 'err:the end', 'exit:2'],
      'exited with code 2; last stderr line: the end',
    ],
  ])('gives its server a reason if it %s', async (_, steps, expected) => {
    expect(await reasonWith(printing(...steps))).toContain(expected);
  });

  test('is named in the reason if it does not exist', async () => {
    const reason = await reasonWith({ ...fixture(), envCommand: ['no-such-program-of-mine', 'x'] });
    expect(reason).toMatch(/^its envCommand: .*no-such-program-of-mine/);
  });

  test('is not quoted if it is a command line: the reason says how to write it', async () => {
    const reason = await reasonWith({ ...fixture(), envCommand: ['no-such-program-of-mine read secret'] });
    expect(reason).toContain('the first element of the list must be the program alone');
    expect(reason).not.toMatch(/no-such|"args"/);
  });

  test('is tried again with the next start', async () => {
    const flag = join(temporaryDirectory(), 'flag');
    const agent = await connectAgent('v2 modern', {
      config: devToolbox({
        any: { ...fixture(), envCommand: [process.execPath, '-p', `fs.readFileSync(${JSON.stringify(flag)}, "utf8")`] },
      }),
    });
    expect((await agent.open('dev')).isError).toBe(true);
    writeFileSync(flag, 'A=b\n');
    expect(JSON.parse(text(await agent.use('dev', 'any', 'env'))).A).toBe('b');
  });
});

test('an edit of a file that an entry refers to, also for its program, restarts its server', async () => {
  const dir = temporaryDirectory();
  const write = (name: string, value: string) => writeFileSync(join(dir, name), value, { mode: 0o600 });
  write('text', 'one');
  write('word', 'out:PRINTED=one');
  const entry = { ...printing(`\${file:${join(dir, 'word')}}`), env: { TEXT: `\${file:${join(dir, 'text')}}` } };
  const agent = await startAgent('v2 legacy', { config: devToolbox({ any: entry, other: fixture() }) });
  const given = async (name: string): Promise<unknown> => JSON.parse(text(await agent.use('dev', 'any', 'env')))[name];
  expect([await given('TEXT'), await given('PRINTED')]).toEqual(['one', 'one']);
  write('text', 'two');
  await until(async () => (await given('TEXT')) === 'two');
  write('word', 'out:PRINTED=two');
  await until(async () => (await given('PRINTED')) === 'two');
});

describe('the processes of a program', () => {
  linuxOnly('reads /proc');

  test('are ended before its server starts, including ones that hold its pipes', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: printing(`fork:${file}`, 'out:A=b') }) });
    expect(JSON.parse(text(await agent.use('dev', 'any', 'env'))).A).toBe('b');
    const pid = Number(readFileSync(file, 'utf8'));
    expect(processesWith(agent.marker).map((process) => process.pid)).not.toContain(pid);
  });

  test('are ended if the workbench ends while it runs', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const agent = await startAgent('v2 modern', { config: devToolbox({ any: printing(`fork:${file}`, 'hang') }) });
    const opening = agent.open('dev').catch(() => undefined);
    await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
    expect(processesWith(agent.marker).length).toBeGreaterThanOrEqual(3);
    await agent.close();
    await until(() => processesWith(agent.marker).length === 0);
    await opening;
  });
});
