// @module-tag hostile
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, text } from '../support/agents.js';
import { type Canary, canariesFor, createWatch, shapeCount } from '../support/canaries.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { hostile, modernHostile } from '../support/hostile.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';

/** How the server writes each value; see leak.mjs. */
const forms = 12;
/** In how many places an agent reads them, at least: instructions, titles, descriptions, schemas and errors. */
const leaksInAnswers = 8;

interface Planted {
  readonly servers: Record<string, ServerEntry>;
  readonly canaries: Canary[];
  /** Variables of the workbench. */
  readonly env: Record<string, string>;
}

const record = (canaries: readonly Canary[]) => Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
const references = (canaries: readonly Canary[]) => canaries.map(({ name }) => `\${${name}}`);

/** A server for each way in which a value reaches one. All of them write everything that they were given. */
function leaking(directory: string): Planted {
  const places = {
    env: canariesFor('env'),
    file: canariesFor('file'),
    variable: canariesFor('variable'),
    fallback: canariesFor('fallback').filter(({ value }) => !value.includes('}')),
    argument: canariesFor('argument'),
    flag: canariesFor('flag'),
    literal: canariesFor('literal').filter(({ name }) => !/path|api_key/i.test(name)),
    text: canariesFor('text'),
    passed: canariesFor('passed'),
    printed: canariesFor('printed'),
  };
  const envFile = join(directory, 'secrets.env');
  writeFileSync(envFile, places.file.map(({ name, value }) => `${name}=${quoted(value)}\n`).join(''));
  const server = hostile('leak');
  const modern = modernHostile('leak');
  const withArguments = (entry: ServerEntry, args: readonly string[]) => ({
    ...entry,
    args: [...(entry.args ?? []), ...args],
  });
  return {
    servers: {
      env: { ...server, env: record(places.env) },
      file: { ...modern, envFile },
      variable: {
        ...server,
        env: Object.fromEntries(references(places.variable).map((value, index) => [`V${index}`, value])),
      },
      fallback: {
        ...modern,
        env: Object.fromEntries(places.fallback.map(({ name, value }) => [name, `\${NOT_SET:-${value}}`])),
      },
      argument: withArguments(server, references(places.argument)),
      flag: withArguments(
        modern,
        places.flag.flatMap(({ value }) => ['--api-key', value]),
      ),
      literal: withArguments(
        server,
        places.literal.map(({ value }) => value),
      ),
      text: { ...modern, env: textsOf(places.text, directory) },
      passed: { ...server, env_vars: places.passed.map(({ name }) => name) },
      printed: { ...modern, envCommand: printing(places.printed, directory) },
    },
    canaries: Object.values(places).flat(),
    env: record([...places.variable, ...places.argument, ...places.passed]),
  };
}

/** Variables whose values are in a file each. */
function textsOf(canaries: readonly Canary[], directory: string): Record<string, string> {
  return Object.fromEntries(
    canaries.map(({ name, value }) => {
      writeFileSync(join(directory, name), value, { mode: 0o600 });
      return [name, `\${file:${join(directory, name)}}`];
    }),
  );
}

/** A program that prints them, and repeats them on stderr. */
function printing(canaries: readonly Canary[], directory: string, exitCode = 0): string[] {
  const file = join(directory, `printed-${exitCode}.json`);
  writeFileSync(file, JSON.stringify(record(canaries)));
  const script = `const text = fs.readFileSync(process.argv[1], 'utf8');
    process.stdout.write(text);
    for (const value of Object.values(JSON.parse(text))) console.error(value);
    process.exitCode = ${exitCode};`;
  return [process.execPath, '-e', script, file];
}

/** In double quotes an env file knows these escapes. */
function quoted(value: string): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };
  return `"${value.replace(/["\\\n\r\t]/g, (sign) => escapes[sign] ?? sign)}"`;
}

/** Servers that cannot be started: what they were given is in our own messages. */
function unusable(directory: string): Planted {
  const places = {
    command: canariesFor('command'),
    line: canariesFor('line'),
    cwd: canariesFor('cwd'),
    headers: canariesFor('headers').filter(({ value }) => !/[^\t -~]/.test(value)),
    url: canariesFor('url'),
    broken: canariesFor('broken'),
    handshake: canariesFor('handshake'),
    failing: canariesFor('failing'),
  };
  const each = (place: keyof typeof places, entry: (canary: Canary) => ServerEntry) =>
    places[place].map((canary) => [canary.name, entry(canary)] as const);
  const servers = [
    ...each('command', ({ name }) => ({ command: `\${${name}}` })),
    ...each('line', ({ value }) => ({ command: `no-such-program --key=${value}` })),
    ...each('cwd', ({ name }) => ({ ...hostile('leak'), cwd: `/no/such/\${${name}}` })),
    ...each('url', ({ value }) => ({ url: `https://me:x@127.0.0.1:9/?key=${encodeURIComponent(value)}` })),
    ['headers', { url: 'https://127.0.0.1:9/', headers: record(places.headers) }] as const,
    ['broken', { ...hostile('leak'), env: { ...record(places.broken), X: '${NOT_SET}' } }] as const,
    ['handshake', { ...hostile('leak-handshake'), env: record(places.handshake) }] as const,
    ['failing', { ...hostile('leak'), envCommand: printing(places.failing, directory, 1) }] as const,
  ];
  return {
    servers: Object.fromEntries(servers),
    canaries: Object.values(places).flat(),
    env: record([...places.command, ...places.cwd]),
  };
}

/** Makes every server leak, and returns what the agent reads but the results of tools. */
async function provoke(agent: Agent, servers: readonly string[], places: readonly string[]): Promise<string[]> {
  const answers = [agent.instructions, JSON.stringify(await agent.listTools()), text(await agent.open('dev'))];
  await Promise.all(
    servers.map(async (server) => {
      for (const where of places) answers.push(text(await agent.use('dev', server, 'attack', { where })));
      answers.push(text(await agent.use('dev', server, 'no-such-tool')));
    }),
  );
  const queries = [{ query: 'uses' }, { detail: 'names' }, { detail: 'full' }];
  for (const query of queries) answers.push(text(await agent.call('open_toolbox', { toolbox: 'dev', ...query })));
  return answers;
}

/** Without the copy of the configuration itself, which has what the user wrote there. */
function filesBelow(directory: string): string {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => basename(dirname(path)) !== 'last-good')
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

const occurrences = (content: string) => content.split('***').length - 1;

describe('secrets of a server that repeats all it was given', () => {
  test('appear in no answer, log or cache, whatever they look like and in whichever form', {
    timeout: 240_000,
  }, async () => {
    const { servers, canaries, env } = leaking(temporaryDirectory());
    const config = { ...devToolbox(servers), openBudgetChars: 8_000_000 };
    const agent = await connectAgent('v2 legacy', { config, env });

    // They did reach the servers, which results show: they are not ours, and not masked.
    const calls = Object.keys(servers).map((server) => agent.use('dev', server, 'echo', { own: 'kept' }));
    expect((await Promise.all(calls)).map(text)).toEqual(calls.map(() => '{"own":"kept"}'));

    const places = ['error', 'invalid', 'type', 'question', 'garbage', 'stderr', 'exit'];
    const answers = await provoke(agent, Object.keys(servers), places);
    await agent.close();
    await endHosts();
    const written = filesBelow(join(agent.dir, 'home'));
    const seenIn = createWatch(canaries);
    for (const content of [...answers, agent.stderr(), written]) expect(seenIn(content)).toEqual([]);

    // All of them were there and were replaced.
    expect(canaries.length).toBeGreaterThan(6 * shapeCount);
    expect(occurrences(answers.join('\n'))).toBeGreaterThan(canaries.length * forms * leaksInAnswers);
    expect(occurrences(written)).toBeGreaterThan(canaries.length * forms);
  });
});

test('secrets of servers that cannot be started are in no reason, error or log', { timeout: 120_000 }, async () => {
  const { servers, canaries, env } = unusable(temporaryDirectory());
  const config = { ...devToolbox({ ...servers, works: hostile('leak') }), openBudgetChars: 1_000_000 };
  const agent = await connectAgent('v2 modern', { config, env });
  const answers = await provoke(agent, Object.keys(servers), []);
  await agent.close();
  await endHosts();
  const seenIn = createWatch(canaries);
  for (const content of [...answers, agent.stderr(), filesBelow(join(agent.dir, 'home'))]) {
    expect(seenIn(content)).toEqual([]);
  }
  expect(answers.join('\n')).toContain('put its arguments into "args"');
});
