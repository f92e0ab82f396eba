import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWorkbenchError } from '../../contract/errors.js';
import type { ServerConfig } from '../config.js';
import { parseConfig } from '../read/parse.js';
import { quickFile } from '../read/quick.js';
import { assemble } from './assemble.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-config-'));
  writeFileSync(path.join(directory, 'my.env'), 'HOST=file.test\nTOKEN=from-file\n');
});
afterAll(() => rmSync(directory, { recursive: true }));

const place = 'config.toolboxes.dev.mcpServers.api';
const textOf = (entry: object) =>
  JSON.stringify({ toolboxes: { dev: { description: 'd', mcpServers: { api: entry } } } });

/** A server as both readers read it, and the warnings without the place of the entry. */
function load(entry: object, env: Record<string, string> = {}) {
  const options = { path: path.join(directory, 'c.json'), env, cwd: '/project', home: '/home/me' };
  const text = textOf(entry);
  const config = parseConfig(text, options);
  const quick = quickFile(text);
  if (quick !== undefined) expect(assemble(quick, [], options)).toEqual(config);
  const server = config.toolboxes.get('dev')?.servers.get('api') as ServerConfig;
  return { server, isQuick: quick !== undefined, warnings: config.warnings.map((line) => line.replace(place, '')) };
}

function remoteOf(entry: object, env: Record<string, string> = {}) {
  const { server, warnings } = load(entry, env);
  const { target } = server;
  if (target.kind !== 'remote') throw new Error(`not remote: ${JSON.stringify(target)}`);
  return { ...target, headers: Object.fromEntries(target.headers), warnings };
}

/** The lines of the message, without the heading, and without the place of the entry. */
function faultsOf(entry: object): string[] {
  const text = textOf(entry);
  expect(quickFile(text)).toBeUndefined();
  try {
    parseConfig(text, { path: '/c.json', env: {}, cwd: '/project', home: '/' });
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
}

const jsonSchema: Schema = JSON.parse(
  readFileSync(new URL('../../../schema/workbench-config.schema.json', import.meta.url), 'utf8'),
);
const isValidInEditors = (entry: object) => new Validator(jsonSchema, '7').validate(JSON.parse(textOf(entry))).valid;

const url = 'https://a.test/mcp';

describe('the transport of a pasted entry', () => {
  test.each([
    [{ url }, 'auto'],
    [{ serverUrl: url }, 'auto'],
    [{ httpUrl: url }, 'http'],
    [{ url: 'https://a.test/sse' }, 'sse'],
    [{ url: 'https://a.test/v1/sse/?key=1' }, 'sse'],
    [{ serverUrl: 'https://a.test/sse' }, 'sse'],
    [{ httpUrl: 'https://a.test/sse' }, 'http'],
    [{ url: 'https://a.test/mcp?next=/sse' }, 'auto'],
    [{ url: 'https://a.test/${P:-sse}' }, 'sse'],
    ...['http', 'streamable-http', 'streamableHttp', 'streamable_http'].flatMap(
      (word) =>
        [
          [{ type: word, url }, 'http'],
          [{ transport: word, url: 'https://a.test/sse' }, 'http'],
          [{ transport: { type: word, url } }, 'http'],
        ] as [object, string][],
    ),
    [{ type: 'sse', url }, 'sse'],
    [{ transport: 'sse', url }, 'sse'],
    [{ transport: { type: 'sse' }, serverUrl: url }, 'sse'],
    [{ type: 'remote', url }, 'auto'],
    [{ type: 'remote', url: 'https://a.test/sse' }, 'sse'],
    [{ type: 'remote', httpUrl: url }, 'http'],
    [{ type: 'remote', transport: 'sse', url }, 'sse'],
    [{ type: 'http', transport: { type: 'streamable_http', url } }, 'http'],
    [{ transport: { url } }, 'auto'],
    [{ url, httpUrl: url, serverUrl: url, transport: { url } }, 'http'],
  ])('%j is %s', (entry, transport) => {
    expect(remoteOf(entry)).toMatchObject({ transport, warnings: [] });
    expect(load(entry).isQuick).toBe(true);
    expect(isValidInEditors(entry)).toBe(true);
  });

  test.each([[{ type: 'sse' }], [{ command: 'x', transport: { url } }], [{ command: 'x', httpUrl: url }]])(
    '%j is a fault in editors, too',
    (entry) => {
      expect(isValidInEditors(entry)).toBe(false);
    },
  );

  test.each([
    [{ command: 'x' }],
    [{ command: 'x', type: 'stdio' }],
    [{ command: 'x', type: 'local' }],
    [{ command: 'x', transport: 'stdio' }],
    [{ command: 'x', transport: { type: 'local' } }],
    [{ command: 'x', type: 'stdio', transport: 'local' }],
  ])('%j is a program', (entry) => {
    expect(load(entry)).toMatchObject({ server: { target: { kind: 'stdio', command: 'x' } }, warnings: [] });
    expect(isValidInEditors(entry)).toBe(true);
  });
});

const words =
  'Write one of "stdio", "local", "http", "streamable-http", "streamableHttp", "streamable_http", "sse", "remote".';

describe('an entry that does not say clearly how its server is reached', () => {
  test.each<[object, string, string]>([
    [{ type: 'sse' }, '', 'A server needs a command or a url. Add "command"'],
    [{ transport: { type: 'sse', headers: {} } }, '', 'A server needs a command or a url.'],
    [{ command: 'x', httpUrl: url }, '', 'A server has either a command or a url, not both. Keep one of them'],
    [{ command: 'x', transport: { url } }, '', 'A server has either a command or a url, not both.'],
    [
      { url, httpUrl: 'https://b.test' },
      '.httpUrl',
      'This URL is not the one in "url". Keep one of them, or define two servers.',
    ],
    [
      { serverUrl: url, transport: { url: 'https://b.test' } },
      '.transport.url',
      'This URL is not the one in "serverUrl".',
    ],
    [
      { command: 'x', type: 'sse' },
      '.type',
      'This type does not match a server with a command. Remove "type": "command" already implies it.',
    ],
    [
      { command: 'x', transport: { type: 'remote' } },
      '.transport.type',
      'This type does not match a server with a command. Remove "transport.type": "command" already implies it.',
    ],
    [
      { serverUrl: url, transport: 'local' },
      '.transport',
      'This type does not match a server with a url. Remove "transport": "serverUrl" already implies it.',
    ],
    [
      { httpUrl: url, type: 'sse' },
      '.type',
      'This type does not match "httpUrl", which means Streamable HTTP. For SSE, write "url" instead of "httpUrl".',
    ],
    [{ url, type: 'http', transport: 'sse' }, '.transport', 'This is not the transport in "type". Keep one of them.'],
    [
      { url, type: 'sse', transport: { type: 'streamable-http' } },
      '.transport.type',
      'This is not the transport in "type".',
    ],
    [{ url, type: 'websocket' }, '.type', `Not an allowed value. ${words}`],
    [{ url, transport: 'HTTP' }, '.transport', `Not an allowed value. ${words}`],
    [{ url, transport: 7 }, '.transport', `Not an allowed value. ${words}`],
    [{ url, transport: ['sse'] }, '.transport', `Not an allowed value. ${words}`],
    [{ url, transport: { type: 'ws' } }, '.transport.type', `Not an allowed value. ${words}`],
    [{ httpUrl: 'ftp://x' }, '.httpUrl', 'Not an http or https URL. Write a complete URL'],
    [{ serverUrl: 'a.test/mcp' }, '.serverUrl', 'Not an http or https URL.'],
    [{ transport: { url: 'localhost:3000' } }, '.transport.url', 'Not an http or https URL.'],
    [{ transport: { url: 7 } }, '.transport.url', 'Expected a string, found a number.'],
    [{ transport: { url: 'https://${' } }, '.transport.url', 'A variable reference without a name has no closing }.'],
    [{ url, headers: { 'a b': 'x' } }, '.headers["a b"]', 'Not the name of an HTTP header.'],
    [{ transport: { url, headers: { '': 'x' } } }, '.transport.headers[""]', 'Not the name of an HTTP header.'],
    [{ transport: { url, headers: { A: 1 } } }, '.transport.headers.A', 'Expected a string, found a number.'],
    [
      { url, headers: { 'X-Key': '1', 'x-key': '2' } },
      '.headers["x-key"]',
      'This header occurs more than once: upper and lower case are the same in its name. Remove one of them.',
    ],
    [{ transport: { url, headers: { A: '1', a: '2' } } }, '.transport.headers.a', 'This header occurs more than once'],
  ])('%j is a fault', (entry, at, what) => {
    const faults = faultsOf(entry);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^\/c\.json:1:\d+ /);
    expect(faults[0]).toContain(` ${place}${at}: ${what}`);
  });

  test('has each of its faults reported at its own column', () => {
    const faults = faultsOf({ transport: { type: 'ws', url: 'x', headers: { A: '1', a: '2', 'b c': '3' } } });
    expect(faults.map((line) => line.replace(/^\/c\.json:1:\d+ /, '').split(': ')[0])).toEqual([
      `${place}.transport.type`,
      `${place}.transport.url`,
      `${place}.transport.headers.a`,
      `${place}.transport.headers["b c"]`,
    ]);
    expect(new Set(faults.map((line) => line.split(' ')[0])).size).toBe(4);
  });

  test('has its unknown keys named with the nearest known one, also inside of transport', () => {
    expect(load({ serverURL: 'x', transport: { typ: 'sse', url, header: {} } }).warnings).toEqual([
      expect.stringMatching(/c\.json:1:\d+ \.serverURL: Unknown key\. Did you mean 'serverUrl'\?$/),
      expect.stringMatching(/c\.json:1:\d+ \.transport\.typ: Unknown key\. Did you mean 'type'\?$/),
      expect.stringMatching(/c\.json:1:\d+ \.transport\.header: Unknown key\. Did you mean 'headers'\?$/),
    ]);
  });
});

describe('variables', () => {
  test.each(['url', 'httpUrl', 'serverUrl'])('are expanded in %s and headers, also those of the env file', (key) => {
    const entry = { [key]: 'https://${HOST}/${P}', headers: { A: 'Bearer ${TOKEN}' }, envFile: 'my.env' };
    expect(remoteOf(entry, { P: 'mcp' })).toMatchObject({
      url: 'https://file.test/mcp',
      headers: { A: 'Bearer from-file' },
    });
    // The real environment comes first.
    expect(remoteOf(entry, { P: 'mcp', TOKEN: 'real' }).headers).toEqual({ A: 'Bearer real' });
    // As `TOKEN=$(cat file)` of some tools leaves it.
    expect(remoteOf(entry, { P: 'mcp', TOKEN: 'real\r\n' }).headers).toEqual({ A: 'Bearer real' });
  });

  test('are expanded inside of transport, also those of the env file', () => {
    const entry = { transport: { url: 'https://${HOST}/', headers: { A: '${TOKEN}' } }, envFile: './my.env' };
    expect(remoteOf(entry)).toMatchObject({ url: 'https://file.test/', headers: { A: 'from-file' } });
  });

  test('that are not set are named with the keys as written', () => {
    const entry = { transport: { url: 'https://${HOST}/', headers: { 'X-Key': '${KEY}' } } };
    expect(load(entry).server.target).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('HOST (transport.url) and KEY (transport.headers["X-Key"]) are not set.'),
    });
    expect(load({ serverUrl: '${U}' }, { U: 'x' }).server.target).toEqual({
      kind: 'broken',
      reason: `${place}.serverUrl: Not an http or https URL after its variables are expanded.`,
    });
  });
});

describe('headers', () => {
  test('of the entry override those of transport, whatever their case', () => {
    const entry = { transport: { url, headers: { 'X-Key': 'inner', B: 'b' } }, headers: { 'x-key': 'outer', C: 'c' } };
    expect(remoteOf(entry)).toMatchObject({ headers: { 'x-key': 'outer', B: 'b', C: 'c' }, warnings: [] });
  });

  test.each(['Content-Type', 'accept', 'Host', 'Mcp-Session-Id', 'MCP-Protocol-Version', 'Mcp-Param-X', 'Connection'])(
    'that the transport sets, such as %s, are ignored with a warning',
    (name) => {
      // Its variable is not needed.
      const { headers, warnings } = remoteOf({ url, headers: { [name]: '${UNSET}', A: 'a' } });
      expect(headers).toEqual({ A: 'a' });
      const key = /^\w+$/.test(name) ? `.${name}` : `["${name}"]`;
      expect(warnings).toEqual([`.headers${key}: This header is ignored: the transport sets it.`]);
    },
  );
});

describe('a url', () => {
  test('with user and password becomes one without, and a header', () => {
    expect(remoteOf({ url: 'https://me:p%40ss%C3%A9@a.test/mcp?x=1' })).toEqual({
      kind: 'remote',
      url: 'https://a.test/mcp?x=1',
      headers: { Authorization: `Basic ${Buffer.from('me:p@ssé').toString('base64')}` },
      transport: 'auto',
      warnings: [],
    });
    const header = (user: string) => ({ Authorization: `Basic ${Buffer.from(user).toString('base64')}` });
    expect(remoteOf({ url: 'https://${U}@a.test/' }, { U: 'token' }).headers).toEqual(header('token:'));
    expect(remoteOf({ url: 'https://:${P}@a.test/' }, { P: 'pw' }).headers).toEqual(header(':pw'));
  });

  test('with user and password beside a header Authorization: the header is used, with a warning', () => {
    const entry = { httpUrl: 'https://me:pw@a.test/', headers: { authorization: 'Bearer t' } };
    expect(remoteOf(entry)).toMatchObject({
      url: 'https://a.test/',
      headers: { authorization: 'Bearer t' },
      warnings: ['.httpUrl: The user and password in this URL have no effect: the header Authorization is used.'],
    });
  });

  test('loses its fragment', () => {
    expect(remoteOf({ url: 'https://a.test/mcp?x=1#part' }).url).toBe('https://a.test/mcp?x=1');
  });
});

test('what the program of the defaults needs has an effect on a server with a url', () => {
  const env_vars = ['VAULT_TOKEN'];
  const file = { defaults: { envCommand: ['vault'] }, mcpServers: { a: { url, cwd: '/', env_vars } } };
  const options = { path: '/c.json', env: {}, cwd: '/project', home: '/' };
  expect(parseConfig(JSON.stringify(file), options).warnings).toEqual([]);
});

describe('a key that has no effect gives a warning:', () => {
  const variables =
    'Variables for url and headers come from the environment of the workbench, "envFile" or "envCommand".';
  test.each<[object, string[]]>([
    [
      { url, args: ['${UNSET}'], env: { A: '${UNSET}' }, cwd: '${UNSET}' },
      [
        '.args: This has no effect on a server with a url.',
        `.env: This has no effect on a server with a url. ${variables}`,
        '.cwd: This has no effect on a server with a url.',
      ],
    ],
    [{ url, args: [], env: {}, headers: {} }, []],
    [{ command: 'x', headers: { A: '${UNSET}' } }, ['.headers.A: This has no effect on a server with a command.']],
    [
      { command: 'x', transport: { type: 'stdio', headers: { A: 'a' } } },
      ['.transport.headers.A: This has no effect on a server with a command.'],
    ],
  ])('%j', (entry, expected) => {
    const { server, warnings } = load(entry);
    expect(warnings).toEqual(expected);
    expect(server.target.kind).not.toBe('broken');
  });
});

describe('oauth', () => {
  test('has what the entry says, with variables expanded, and its secret is one', () => {
    const oauth = {
      clientId: 'me',
      clientSecret: '${SECRET}',
      scopes: ['read'],
      callbackPort: 8123,
      hosts: ['a.test'],
    };
    const { server } = load({ url, oauth }, { SECRET: 'not-to-be-seen' });
    expect(server.target).toMatchObject({
      oauth: { ...oauth, clientSecret: 'not-to-be-seen', grant: 'authorization_code' },
    });
    expect(server.secrets).toContainEqual({ name: 'clientSecret', value: 'not-to-be-seen' });
  });

  test.each([
    [{ grant: 'client_credentials' }, 'oauth: Needs clientId and clientSecret.'],
    [{ grant: 'client_credentials', clientId: 'me' }, 'oauth: Needs clientId and clientSecret.'],
    [{ clientSecret: 'not-to-be-seen' }, 'oauth: Needs clientId.'],
    [{ clientMetadataUrl: 'http://a.test/client.json' }, 'oauth.clientMetadataUrl: Not an https URL with a path.'],
    [{ clientMetadataUrl: 'https://a.test/' }, 'oauth.clientMetadataUrl: Not an https URL with a path.'],
    [{ hosts: ['a.test', 'https://b.test'] }, 'oauth.hosts[1]: Not a host, such as login.example.com.'],
    [{ hosts: ['a.test/token'] }, 'oauth.hosts[0]: Not a host, such as login.example.com.'],
    [{ hosts: ['me@a.test'] }, 'oauth.hosts[0]: Not a host, such as login.example.com.'],
  ])('that is incomplete makes the server unavailable: %j', (oauth, reason) => {
    expect(load({ url, oauth }).server.target).toEqual({ kind: 'broken', reason: `${place}.${reason}` });
  });

  test('has no effect beside a command or a header Authorization, with a warning', () => {
    expect(load({ command: 'x', oauth: {} }).warnings).toEqual([
      '.oauth: This has no effect on a server with a command.',
    ]);
    expect(load({ url, headers: { Authorization: 'x' }, oauth: {} }).warnings).toEqual([
      '.oauth: This has no effect: the header Authorization is used.',
    ]);
  });
});
