// @module-tag slow
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { startWorkbench } from '../support/workbench.js';

posixOnly('servers are started by a shell');

/** Fifty unique secrets, in the formats of real keys. */
const canaries = Array.from({ length: 50 }, (_, index) => {
  const shapes = ['canary-%-Zq7Lw0', 'sk_live_%canaryT9x', 'AKIA%CANARYX', 'ghp_%canaryQmVb', 'eyJ%canary.eyJhbGci.x'];
  return (shapes[index % shapes.length] ?? '').replace('%', String(1_000 + index));
});

/** Returns the canaries one by one, so that each is used in one place. */
function createPurse() {
  const parent: Record<string, string> = {};
  let used = 0;
  const next = () => {
    const canary = canaries[used++];
    if (canary === undefined) throw new Error('more places than canaries');
    return canary;
  };
  return {
    parent,
    literal: next,
    /** A reference to a variable of the workbench that contains one. */
    variable() {
      const name = `SECRET_${used}`;
      parent[name] = next();
      return `\${${name}}`;
    },
    /** A file of variables that contain one each. */
    file(dir: string, ...names: string[]) {
      const path = join(dir, `${used}.env`);
      writeFileSync(path, names.map((name) => `${name}="${next()}"\n`).join(''));
      return path;
    },
    used: () => used,
  };
}

const { command: node = '', args: [script = ''] = [] } = fixture();

/** Prints its arguments and environment to stderr, then runs the scripted server. */
const tellTale = 'env >&2; printf "%s\\n" "$@" >&2; exec "$NODE" "$SCRIPT"';
/** Answers every request with an error that contains its key. */
const refuser = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id } = JSON.parse(line);
    const error = { code: -32000, message: 'bad key ' + process.env.KEY + ' ' + process.argv.slice(1).join(' ') };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
  });
`;

type Purse = ReturnType<typeof createPurse>;

function leakyServers(purse: Purse, dir: string): Record<string, ServerEntry> {
  const literal = () => purse.literal();
  const variable = () => purse.variable();
  const shell = (program: string, ...args: string[]): ServerEntry => ({
    command: 'sh',
    args: ['-c', program, 'sh', ...args],
    env: { NODE: node, SCRIPT: script, KEY: literal(), TOKEN: variable() },
    envFile: purse.file(dir, 'FROM_FILE'),
  });
  return {
    talker: shell(
      tellTale,
      literal(),
      `--key=${variable()}`,
      `--url=https://me:${literal()}@example.com/?k=${variable()}`,
    ),
    dies: shell('env >&2; printf "%s\\n" "$@" >&2; exit 3', literal(), `--key=${variable()}`),
    lists_wrongly: shell('exec "$NODE" "$SCRIPT" --list-error "bad key $KEY $TOKEN $FROM_FILE"'),
    refuses: {
      command: node,
      args: ['-e', refuser, literal(), variable()],
      env: { KEY: `Bearer ${literal()}` },
    },
    chatters: {
      ...shell('while :; do echo "$KEY $TOKEN"; echo "$FROM_FILE" >&2; sleep 0.1; done'),
      startTimeoutMs: 1_500,
    },
    missing: { command: 'no-such-program', args: [literal(), `--key=${variable()}`], env: { KEY: literal() } },
    no_directory: { ...fixture(), cwd: '/no/such/dir', env: { KEY: literal(), TOKEN: variable() } },
    unset: {
      ...fixture(),
      args: [script, `--key=${literal()}`],
      env: { KEY: `${variable()}\${NOT_SET}`, OTHER: literal() },
    },
    no_env_file: { ...fixture(), env: { KEY: literal() }, envFile: './nowhere.env' },
    remote: {
      url: `https://me:${literal()}@127.0.0.1:9/mcp/${literal()}?key=${variable()}#${literal()}`,
      headers: { Authorization: `Bearer ${literal()}`, 'X-Key': variable(), Cookie: `session=${literal()}` },
    },
    remote_unset: {
      url: `https://127.0.0.1:9/\${NOT_SET}/${literal()}`,
      headers: { Authorization: `Bearer ${variable()}` },
    },
    remote_no_address: { url: variable(), headers: { Authorization: literal() } },
    bad_header: { url: 'https://127.0.0.1:9/', headers: { Authorization: `${literal()}\u2713`, 'X-Key': variable() } },
    silent: { ...fixture('--never-answer', '--on-probe', 'silence'), startTimeoutMs: 1_500, env: { KEY: literal() } },
    bad_option: { command: node, args: [script, `--${literal()}`, variable()] },
    disabled: {
      ...fixture(),
      disabled: true,
      env: { KEY: literal(), TOKEN: variable() },
      args: [literal(), variable()],
    },
  };
}

/** Provokes every error of every server. Returns the texts that the agent reads. */
async function provoke(agent: Agent, servers: readonly string[], itsOwn: readonly string[]): Promise<string[]> {
  const answers: string[] = [agent.instructions, JSON.stringify(await agent.listTools())];
  const keep = async (work: ReturnType<Agent['open']>) => void answers.push(JSON.stringify(await work));
  await keep(agent.open('dev'));
  await Promise.all(servers.map((server) => keep(agent.use('dev', server, 'no_such_tool'))));
  const talk = (name: string, args: object) => keep(agent.use('dev', 'talker', name, args));
  const everything = itsOwn.join(' ');
  await talk('rpc_error', { code: -32000, message: everything });
  await talk('rpc_error', { code: -32602, message: everything, data: { everything } });
  await agent.use('dev', 'talker', 'write_stderr', { text: `${everything}\n${everything}` });
  await agent.use('dev', 'talker', 'write_stdout', {
    text: `${everything}\n{"jsonrpc":"2.0","method":"${everything}"}\n`,
  });
  await agent.use('dev', 'talker', 'write_stdout', {
    text: `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"${everything}"}}\n`,
  });
  await talk('hang', {});
  await talk('crash', { with: 7, stderr: everything });
  await keep(agent.open('dev'));
  return answers;
}

/** Without the copy of the configuration itself, which has what the user wrote there. */
function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true })
    .map((name) => join(dir, String(name)))
    .filter((path) => basename(dirname(path)) !== 'last-good')
    .filter((path) => statSync(path).isFile());
}

const found = (content: string) => canaries.filter((canary) => content.includes(canary));

describe('to a client', () => {
  test('fifty secrets appear in no answer, message or log', { timeout: 60_000 }, async () => {
    const purse = createPurse();
    const dir = temporaryDirectory();
    const servers = leakyServers(purse, dir);
    expect(purse.used()).toBe(canaries.length);
    const config = { ...devToolbox(servers), openTimeoutMs: 10_000, defaults: { callTimeoutMs: 3_000 } };
    const agent = await connectAgent('v2 modern', { config, env: purse.parent });

    // They did reach the server: otherwise nothing could leak. Results of tools are not masked.
    const known = found(text(await agent.use('dev', 'talker', 'env')));
    expect(known).toHaveLength(3);
    const given = found(JSON.stringify(servers['talker']?.args));
    expect(given).toHaveLength(2);

    const answers = await provoke(agent, Object.keys(servers), [...known, ...given]);
    for (const answer of answers) expect(found(answer), answer).toEqual([]);
    expect(answers.join('\n')).toContain('***');
    await agent.close();
    await endHosts();
    expect(found(agent.stderr())).toEqual([]);

    const logs = filesBelow(join(agent.dir, 'home'));
    expect(logs.length).toBeGreaterThanOrEqual(8);
    const logged = logs.map((path) => readFileSync(path, 'utf8')).join('\n');
    expect(found(logged)).toEqual([]);
    expect(logged).toContain('***');
  });
});

describe('a configuration with faults', () => {
  const [a, b, c, d] = canaries.map((canary) => JSON.stringify(canary));
  const entry = (fields: string) => `{"toolboxes":{"dev":{"description":"x","mcpServers":{"s":{${fields}}}}}}`;

  test.each([
    ['a string for a list', entry(`"command":"x","args":${a}`)],
    ['a string for an object', entry(`"command":"x","env":${a}`)],
    ['an object for a string', entry(`"command":"x","env":{"KEY":{"value":${a}}},"args":[[${b}],{"x":${c}}]`)],
    ['an invalid url', entry(`"url":${a},"headers":{"Authorization":${b}}`)],
    [
      'command and url',
      entry(`"command":"x","args":[${a}],"url":"https://x:${canaries[1]}@example.com/","env":{"K":${c}}`),
    ],
    ['neither command nor url', entry(`"args":[${a}],"env":{"KEY":${b}}`)],
    [
      'a malformed reference',
      entry(`"command":"x","env":{"KEY":"\${API KEY}${canaries[0]}"},"args":["${canaries[1]}\${API_KEY"]`),
    ],
    [
      'a malformed reference with a default',
      entry(
        `"command":"x","env":{"KEY":"\${1KEY:-${canaries[0]}}"},"args":["\${API_KEY:-${canaries[1]}","\${A-B:-${canaries[2]}}"]`,
      ),
    ],
    [
      'defaults beside faults',
      entry(
        `"command":["\${A:-${canaries[0]}}"],"cwd":7,"env":{"KEY":"\${A:-${canaries[1]}}","":"\${A:-${canaries[2]}}"}`,
      ),
    ],
    ['a wrong setting', entry(`"command":"x","env":{"KEY":${a}},"protocol":${b},"callTimeoutMs":${c},"disabled":${d}`)],
    ['a key that occurs twice', entry(`"command":"x","env":{"KEY":${a},"KEY":${b}}`)],
    ['broken JSON after a value', entry(`"command":"x","env":{"KEY":${a} ${b}}`)],
    ['broken JSON in a value', entry(`"command":"x","env":{"KEY":"${canaries[0]}\n${canaries[1]}"}`)],
    ['a text cut off', entry(`"command":"x","env":{"KEY":${a}`).slice(0, -8)],
    ['an unknown type', entry(`"type":${a},"command":"x","cwd":[${b}],"envFile":{"x":${c}},"toolFilters":${d}`)],
    ['an empty variable name', entry(`"command":"x","env":{"":${a},"A=B":${b}}`)],
    ['an invalid header name', entry(`"url":"https://example.com","headers":{"a b":${a},"X":[${b}]}`)],
  ])('is reported without its values: %s', async (_, configText) => {
    const workbench = startWorkbench({ configText, args: ['--frozen'] });
    expect((await workbench.exited).code).toBe(3);
    expect(workbench.stderr()).toMatch(/workbench-config\.json:\d+:\d+/);
    expect(found(workbench.stderr())).toEqual([]);
    expect(workbench.lines).toEqual([]);
  });

  test('warns about invalid lines in an env file without showing them', async () => {
    const dir = temporaryDirectory();
    const envFile = join(dir, 'secrets.env');
    writeFileSync(envFile, `${canaries[0]}\nKEY ${canaries[1]}\n="${canaries[2]}\nGOOD=${canaries[3]}\n`);
    const config = devToolbox({ any: { ...fixture(), envFile, [canaries[4] ?? '']: undefined } });
    const workbench = startWorkbench({ config });
    await until(() => /line 1 of the env file/.test(workbench.stderr()));
    expect(found(workbench.stderr())).toEqual([]);
  });
});
