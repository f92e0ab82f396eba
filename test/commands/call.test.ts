import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { printable } from '../../src/text/printable.js';
import { canariesFor, createWatch } from '../support/canaries.js';
import { type OnTerminal, runCommand, runOnTerminal } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { prepareLaunch, stopWhenTestFinishes, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';

const issue = {
  name: 'get_issue',
  inputSchema: {
    type: 'object',
    properties: { owner: { type: 'string' }, number: { type: 'integer' }, labels: { type: 'array' } },
    required: ['owner'],
  },
};
const config = devToolbox({ any: fixture(), typed: fixtureWith([issue]), broken: fixture('--exit', 3) });
const call = (server: string, ...words: string[]) => runCommand(['call', 'dev', server, ...words], { config });
const result = (value: object) => `--args=${JSON.stringify(value)}`;

test('the text of a result is the answer on stdout; what goes on is on stderr', async () => {
  const { code, stdout, stderr } = await call('typed', 'get_issue', 'owner=007', 'number=7', 'labels=a', 'labels=b');
  expect([code, stdout]).toEqual([0, '{"owner":"007","number":7,"labels":["a","b"]}\n']);
  expect(stderr).toMatch(/^(?:›|>) starting typed (?:…|\.\.\.) \d+\.\d s\n$/);
});

test('--json is one document with the whole result', async () => {
  const value = { content: [{ type: 'text', text: 'a' }], structuredContent: { b: 1 }, _meta: { c: 2 } };
  const { code, stdout } = await call('any', 'result', result(value), '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { version: 1, result: value }]);
});

test('content of every kind is shown, and structured content where it is all there is', async () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'a://b', text: 'inside' } },
    { type: 'resource_link', uri: 'a://b', name: 'n' },
    { type: 'hologram' },
    7,
  ];
  const { code, stdout } = await call('any', 'result', result({ content }));
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      'a',
      'b',
      '[image/png, 3 B; --save DIR keeps it]',
      'inside',
      '[link n a://b]',
      expect.stringMatching(/^\[hologram of \d+ characters; --json shows it\]$/),
      expect.stringMatching(/^\[content of/),
      '',
    ],
  ]);
  const alone = await call('any', 'result', result({ content: [], structuredContent: { b: 1 } }));
  expect(alone).toMatchObject({ code: 0, stdout: '{"b":1}\n' });
});

test('an error that the tool reports has exit code 1, and so has one of the protocol', async () => {
  const error = { content: [{ type: 'text', text: 'no such issue' }], isError: true };
  expect(await call('any', 'result', result(error))).toMatchObject({ code: 1, stdout: 'no such issue\n' });
  const { code, stdout, stderr } = await call('any', 'rpc_error', 'message=nope', 'code:=-32000');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    "Tool 'rpc_error' of server 'any' (toolbox 'dev') failed: the server answered with error -32000: nope",
  );
});

test('wrong arguments are refused before anything is sent, with the signature', async () => {
  const log = join(temporaryDirectory(), 'log');
  const logged = { config: devToolbox({ typed: fixtureWith([issue], '--log', log) }) };
  const run = (...words: string[]) => runCommand(['call', 'dev', 'typed', 'get_issue', ...words], logged);
  const signature = '  get_issue(owner: string, number?: integer, labels?: any[])\n';
  const { code, stdout, stderr } = await run('owner=a', 'number=one');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`number: expected integer, got "one". Nothing was sent.\n${signature}`);
  expect((await run('number=1')).stderr).toContain(`missing: owner. Nothing was sent.\n${signature}`);
  expect(readFileSync(log, 'utf8')).not.toContain('tools/call');
  const json = await run('--json', 'owner:=1');
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([2, { version: 1, error: { code: 'INPUT_INVALID' } }]);
  // Not even the server is started for words that cannot be arguments.
  const refused = (what: string) => ({ code: 2, stdout: '', stderr: `${what}. Nothing was sent.\n` });
  expect(await run('owner')).toMatchObject(refused("Expected key=value or key:=JSON, got 'owner'"));
  expect(await run('owner=a', '--args', '[]')).toMatchObject(refused('--args: expected a JSON object'));
  expect(await run('owner=@/a/file')).toMatchObject(refused('Cannot read /a/file: it does not exist'));
});

test('arguments come from stdin and files', async () => {
  const stdin = { config, stdin: '{"owner":"stdin","number":1}' };
  const { stdout } = await runCommand(['call', 'dev', 'typed', 'get_issue', '--args', '-', 'number=2'], stdin);
  expect(stdout).toBe('{"owner":"stdin","number":2}\n');
});

test.each([
  [
    'a tool',
    ['typed', 'get_isue'],
    "Tool 'get_isue' not found in server 'typed' (toolbox 'dev'). Did you mean 'get_issue'?",
  ],
  ['a server', ['tiped', 'x'], "No server 'tiped' in toolbox 'dev'. Did you mean 'typed'?"],
])('%s that does not exist is wrong usage', async (_, words, text) => {
  const { code, stdout, stderr } = await call(words[0] ?? '', ...words.slice(1));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
});

test('a server that is not well has exit code 4, and its reason is kept for other commands', async () => {
  const home = temporaryDirectory();
  const { code, stdout, stderr } = await runCommand(['call', 'dev', 'broken', 'x'], { config, env: { HOME: home } });
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain("Failed to connect to server 'broken' in toolbox 'dev': it exited with code 3");
  expect(readdirSync(join(home, '.cache', 'mcp-workbench', 'failures'))).toHaveLength(1);
});

test('an invalid configuration has exit code 3', async () => {
  expect(await runCommand(['call', 'a', 'b', 'c'], { configText: '{' })).toMatchObject({ code: 3, stdout: '' });
});

test('data is kept in new files of the directory, whatever the tool is called', async () => {
  const directory = join(temporaryDirectory(), 'saved');
  const name = '../../.bashrc ü';
  const image = { type: 'image', mimeType: 'image/png', data: Buffer.from('first').toString('base64') };
  const blob = { type: 'resource', resource: { uri: 'file:///etc/passwd', blob: 'AA==', mimeType: '../x' } };
  const content = { content: [image, image, blob, { type: 'text', text: 'words' }] };
  const server = fixtureWith([{ name, inputSchema: { type: 'object' } }, 'result']);
  const options = { config: devToolbox({ any: server }) };
  const save = (tool: string) =>
    runCommand(['call', 'dev', 'any', tool, result(content), '--save', directory], options);
  const { code, stdout } = await save('result');
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      `[image/png, 5 B: ${join(directory, 'result-1.png')}]`,
      `[image/png, 5 B: ${join(directory, 'result-2.png')}]`,
      `[../x file:///etc/passwd, 1 B: ${join(directory, 'result-1.bin')}]`,
      'words',
      '',
    ],
  ]);
  expect(readFileSync(join(directory, 'result-1.png'), 'utf8')).toBe('first');
  await save('result');
  expect(readdirSync(directory)).toHaveLength(6);
});

test('progress is told on stderr', async () => {
  const { stdout, stderr } = await call('any', 'progress', 'steps:=3');
  expect(stdout).toBe('3 steps\n');
  expect(stderr).toMatch(/^(?:›|>) 1\/3/m);
});

test('on a terminal progress is one line that is replaced, and gone before the answer', async () => {
  linuxOnly('script of util-linux');
  const terminal = runOnTerminal(['call', 'dev', 'any', 'progress', 'steps:=2', 'everyMs:=300'], { config });
  expect(await terminal.exited).toBe(0);
  const [, shown = ''] = terminal
    .screen()
    .replaceAll('\r', '')
    .split(/starting any … \d+\.\d s\n/);
  const gone = '\u001B[1A\u001B[J';
  expect(shown).toBe(`› 1/2 step 1\n${gone}› 2/2 step 2\n${gone}2 steps\n`);
});

test('what helps is named: enable for a disabled server, the secret for a refused token, auth for a login', async () => {
  const server = createServer((_, response) => response.writeHead(401).end());
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const authorization = { Authorization: 'Bearer ${TRACKER_TOKEN}' };
  const servers = devToolbox({
    off: { ...fixture(), disabled: true },
    tracker: { url, headers: authorization },
    login: { url },
  });
  const failed = async (name: string) => {
    const env = { TRACKER_TOKEN: 'refused-1234567' };
    const { stdout } = await runCommand(['call', 'dev', name, 'x', '--json'], { config: servers, env });
    return JSON.parse(stdout).error;
  };
  expect((await failed('off')).next).toMatch(/^mcp-workbench enable dev off --config /);
  const refused = await failed('tracker');
  expect(refused.message).toMatch(
    /rejected the configured Authorization header \(401\)\n {2}change the variable TRACKER_TOKEN$/,
  );
  expect(refused.next).toBeUndefined();
  expect((await failed('login')).next).toMatch(/^mcp-workbench auth dev login --config /);
});

const branchQuestion = {
  message: 'Which branch?',
  requestedSchema: {
    type: 'object',
    properties: { branch: { type: 'string' }, force: { type: 'boolean' }, kind: { enum: ['a', 'b'] } },
    required: ['branch', 'kind'],
  },
};
const asking = (params: object) => [
  ...['call', 'dev', 'any', 'ask', '--args'],
  JSON.stringify({ method: 'elicitation/create', params }),
];

test('without a terminal a question of the server is declined, and that is said', async () => {
  const { code, stdout, stderr } = await runCommand(asking(branchQuestion), { config });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ result: { action: 'decline' } });
  expect(stderr).toContain('declined, because there is no terminal: [dev/any] Which branch?');
});

/** Whether the cursor is behind this question. */
const asks = (terminal: OnTerminal, question: string) => printable(terminal.screen()).endsWith(question);

test('on a terminal it is asked, field by field, and what is answered is sent', async () => {
  linuxOnly('script of util-linux');
  const terminal = runOnTerminal(asking(branchQuestion), { config });
  const answer = async (expected: string, keys: string) => {
    await until(() => asks(terminal, expected), { what: expected });
    terminal.type(keys);
  };
  await answer('branch (string): ', 'main\r');
  await answer('force (boolean) [none]: ', 'perhaps\r');
  await answer('force (boolean) [none]: ', 'y\r');
  await answer('kind (a | b): ', 'b\r');
  await answer('Send this answer? [y/N] ', 'y\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toContain('{"action":"accept","content":{"branch":"main","force":true,"kind":"b"}}');
});

test('Ctrl-C ends a call that waits for its arguments, and no server was started for it', async () => {
  const log = join(temporaryDirectory(), 'log');
  const waiting = runOnTerminal(['call', 'dev', 'any', 'echo', 'text=@-'], {
    config: devToolbox({ any: fixture('--log', log) }),
  });
  waiting.type('typed\n');
  await until(() => waiting.screen().includes('typed'));
  waiting.type('\u0003');
  expect(await waiting.exited).toBe(130);
  expect(existsSync(log)).toBe(false);
});

test('a question can be declined, and Ctrl-C in it interrupts the call', async () => {
  linuxOnly('script of util-linux');
  const url = { message: 'Log in', mode: 'url', url: 'https://example.com/login', elicitationId: '1' };
  const declined = runOnTerminal(asking(url), { config });
  await until(() => declined.screen().includes('Done? [y/N]'));
  expect(declined.screen()).toContain('https://example.com/login');
  declined.type('\r');
  expect(await declined.exited).toBe(0);
  expect(declined.screen()).toContain('"action":"decline"');
  const interrupted = runOnTerminal(asking(branchQuestion), { config });
  await until(() => asks(interrupted, 'branch (string): '));
  interrupted.type('\u0003');
  expect(await interrupted.exited).toBe(130);
});

test('Ctrl-C cancels the call at the server; exit code 130 and one line', async () => {
  linuxOnly('sends SIGINT');
  const log = join(temporaryDirectory(), 'log');
  const launch = prepareLaunch({
    config: devToolbox({ any: fixture('--log', log) }),
    args: ['call', 'dev', 'any', 'hang'],
  });
  const child = spawn(launch.command, launch.args, {
    env: launch.env,
    cwd: launch.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stopWhenTestFinishes(launch.marker, async () => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('tools/call'));
  child.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
  expect(readFileSync(log, 'utf8')).toContain('notifications/cancelled');
  expect(stderr).toMatch(/^.* starting any .*\nInterrupted\.\n$/);
});

test('escape sequences of a result reach a pipe, but no terminal', async () => {
  linuxOnly('script of util-linux');
  const evil = '\u001B]0;owned\u0007\u001B[2Jtext\u009B31m';
  const piped = await call('any', 'result', result({ content: [{ type: 'text', text: evil }] }));
  expect(piped.stdout).toBe(`${evil}\n`);
  const value = { content: [{ type: 'text', text: evil }] };
  const terminal = runOnTerminal(['call', 'dev', 'any', 'result', result(value), '--no-color'], { config });
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toContain('text');
  // oxlint-disable-next-line no-control-regex -- these must not be there
  expect(terminal.screen()).not.toMatch(/[\u001B\u0007\u009B]/);
});

test('no configured secret is in what a command writes', async () => {
  const canaries = canariesFor('call');
  const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
  const references = Object.fromEntries(canaries.map(({ name }) => [name, `\${${name}}`]));
  const broken = { command: 'sh', args: ['-c', 'env >&2; exit 3'], env: references };
  const watch = createWatch(canaries);
  for (const options of [[], ['--json']]) {
    const { stdout, stderr } = await runCommand(['call', 'dev', 'broken', 'x', ...options], {
      config: devToolbox({ broken }),
      env,
    });
    expect(watch(stdout + stderr)).toEqual([]);
    expect(stdout + stderr).toContain('exited with code 3');
  }
});

test('names of all kinds are words as they are', async () => {
  const names = ['__proto__', '-x', 'a b', 'ü/✓', '🧰', 'n'.repeat(200)];
  const servers = new Map(names.map((name) => [name, fixture('--tools', 'echo')]));
  const toolboxes = new Map(names.map((name) => [name, { description: 'd', mcpServers: servers }]));
  for (const name of names) {
    const { code, stdout, stderr } = await runCommand(['call', '--', name, name, 'echo', `${name}=${name}`], {
      config: { toolboxes },
    });
    expect([code, stderr.includes('Error'), JSON.parse(stdout)]).toEqual([
      0,
      false,
      Object.fromEntries([[name, name]]),
    ]);
  }
});

test('a reader that leaves does not end in a stack trace', async () => {
  linuxOnly('a shell');
  const launch = prepareLaunch({ config, args: ['call', 'dev', 'any', 'blob', 'bytes:=1000000'] });
  writeFileSync(join(launch.dir, 'run.sh'), '"$@" | head -c 10; echo');
  const child = spawn('sh', [join(launch.dir, 'run.sh'), launch.command, ...launch.args], {
    env: launch.env,
    stdio: 'pipe',
  });
  stopWhenTestFinishes(launch.marker, async () => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  expect(text).toContain('xxxxxxxxxx\n');
  expect(text).not.toMatch(/\n\s+at /);
});

test('--select that cannot be applied and --find without a place end with code 1, and say on stderr why', async () => {
  const issues = ['issues', 'count=20'];
  const wrong = await call('any', ...issues, '--select', 'abs(@)');
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toMatch(/^select was not applied: .+\.\n\[20 × \{number: number, .+/m);
  const nowhere = await call('any', ...issues, '--find', 'not in it');
  expect([nowhere.code, nowhere.stdout]).toEqual([1, '']);
  expect(nowhere.stderr).toMatch(/^No place\.\n"not in it" does not occur\.\nThe result is: \[20 × /m);
  const text = await call('any', 'blob', 'bytes=5', '--select', 'a');
  expect([text.code, text.stdout]).toEqual([1, 'xxxxx\n']);
  expect(text.stderr).toMatch(/^select was not applied: the result is text, not JSON\.$/m);
});

test('--select, --find and --max print a part of the result, and say on stderr what was left out', async () => {
  const issues = ['issues', 'count=212'];
  const selected = await call('any', ...issues, '--select', "[?labels[0].name=='timeout'].number");
  expect([selected.code, selected.stdout]).toEqual([0, '[18]\n']);
  const found = await call('any', ...issues, '--find', 'TIMEOUT');
  expect([found.code, found.stdout]).toEqual([0, '[17].labels[0].name: timeout\n']);
  const cut = await call('any', ...issues, '--select', '[].title', '--max', '100', '--json');
  expect(JSON.parse(cut.stdout).result.content).toHaveLength(1);
  expect(JSON.parse(JSON.parse(cut.stdout).result.content[0].text)).toHaveLength(3);
  expect(cut.stderr).toContain('Items 0 to 2 of 212.');
  const beginning = await call('any', 'blob', 'bytes=5000', '--max', '100');
  expect(beginning.stdout).toBe(`${'x'.repeat(100)}\n`);
  expect(beginning.stderr).toContain('Characters 0 to 99 of 5,000.');
});

test.each([
  [['--select', 'a[?'], '--select: the expression ends too early at character 4. Nothing was sent.'],
  [['--select', 'a', '--find', 'b'], '--select and --find exclude each other. Nothing was sent.'],
  [['--max', '99'], 'a whole number from 100 on'],
])('%j is refused before anything is started', async (options, message) => {
  const { code, stdout, stderr } = await call('broken', 'issues', ...options);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('starting');
});
