import { describe, expect, test } from 'vitest';
import { WorkbenchError } from '../../contract/errors.js';
import { parseFile } from '../read/parse.js';
import { quickFile } from '../read/quick.js';

const auth = { issuer: 'https://login.example.com', claims: ['email', 'https://example.com/team'] };

/** The lines of the message, without the heading. */
function faultsOf(file: object): string[] {
  const text = JSON.stringify(file, undefined, 1);
  try {
    parseFile(text, 'c.json');
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    expect(quickFile(text)).toBeUndefined();
    return error.message.split('\n').slice(1);
  }
  return [];
}

const fileWith = (entry: object, rest: object = { http: { auth } }) => ({
  ...rest,
  toolboxes: { dev: { description: 'd', mcpServers: { any: entry } } },
});

describe('an entry may name', () => {
  test.each<[string, object]>([
    ['a user and a claim in env', { command: 'x', env: { A: '${user:key} ${user:directory} ${claim:email}' } }],
    ['a claim with the name of a URL', { command: 'x', env: { TEAM: '${claim:https://example.com/team}' } }],
    ['whom commits are by', { command: 'x', env: { GIT_AUTHOR_EMAIL: '${claim:email}' } }],
    ['a user in args and cwd', { command: 'x', args: ['-v', '${user:directory}:/work'], cwd: '${user:directory}/a' }],
    ['both in headers', { url: 'https://a.test', headers: { 'X-User': '${user:key}', 'X-Mail': '${claim:email}' } }],
    ['a user in a url', { url: 'https://a.test/${user:key}' }],
    ['both in transport', { transport: { url: 'https://a.test/${user:key}', headers: { A: '${claim:email}' } } }],
    ['both in the words of other clients', { command: ['x', '${user:key}'], environment: { A: '${claim:email}' } }],
    ['neither, with an escape', { command: '$${user:key}', toolFilters: ['$${claim:email}'] }],
  ])('%s', (_, entry) => {
    expect(faultsOf(fileWith(entry))).toEqual([]);
  });
});

/** Where the only string with a reference begins in the text. */
function locationIn(file: object): string {
  const lines = JSON.stringify(file, undefined, 1).split('\n');
  const line = lines.findIndex((one) => /\$\{(?:user|claim):/.test(one));
  return `c.json:${line + 1}:${(lines[line]?.search(/"[^"]*"[^"]*$/) ?? 0) + 1}`;
}

const place = 'config.toolboxes.dev.mcpServers.any';

describe('a user is a fault', () => {
  test.each<[string, object, string]>([
    ['in command', { command: '${user:directory}/x' }, `${place}.command: \${user:directory}`],
    ['in toolFilters', { command: 'x', toolFilters: ['a', '${user:key}'] }, `${place}.toolFilters[1]: `],
    ['in deny', { command: 'x', deny: ['${user:key}'] }, `${place}.deny[0]: `],
    ['in envFile', { command: 'x', envFile: '${user:key}.env' }, `${place}.envFile: `],
    ['in envCommand', { command: 'x', envCommand: ['a', '${user:key}'] }, `${place}.envCommand[1]: `],
    ['in oauth', { url: 'https://a.test', oauth: { clientId: '${user:key}' } }, `${place}.oauth.clientId: `],
    ['as the program in a list', { command: ['${user:key}', 'x'] }, `${place}.command[0]: `],
  ])('%s of a server', (_, entry, start) => {
    const [fault = '', ...others] = faultsOf(fileWith(entry));
    expect(fault.startsWith(`${locationIn(fileWith(entry))} ${start}`)).toBe(true);
    expect(fault).toMatch(
      /: \$\{user:\w+\} cannot be used here\. Write it in "env", "headers", "args", "cwd" or "url" of a server/,
    );
    expect(others).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['of the file', { envFile: '${user:key}' }, 'config.envFile: '],
    ['of defaults', { defaults: { envCommand: ['${user:key}'] } }, 'config.defaults.envCommand[0]: '],
    ['of http', { http: { auth: { ...auth, audience: '${user:key}' } } }, 'config.http.auth.audience: '],
  ])('in a setting %s', (_, rest, start) => {
    const faults = faultsOf(fileWith({ command: 'x' }, rest));
    expect(faults).toEqual([expect.stringContaining(`${start}\${user:key} cannot be used here.`)]);
  });

  test('in the env file of a toolbox', () => {
    const file = { toolboxes: { dev: { envFile: '${user:key}', mcpServers: { any: { command: 'x' } } } } };
    expect(faultsOf(file)).toEqual([
      expect.stringContaining(`${locationIn(file)} config.toolboxes.dev.envFile: \${user:key} `),
    ]);
  });

  test('of a file that does not say who users are', () => {
    const entry = { command: 'x', env: { A: '${user:key} ${claim:email}' }, args: ['${user:key}'] };
    const says =
      'This names a user, and "http" has no "auth" that says who users are. Add "auth" to "http", or remove ${';
    for (const rest of [{}, { http: {} }]) {
      const faults = faultsOf(fileWith(entry, rest));
      expect(faults).toHaveLength(2);
      expect(faults[0]).toContain(`${place}.env.A: ${says}`);
      expect(faults[1]).toContain(`${place}.args[0]: ${says}user:key}`);
    }
  });
});

describe('a claim is a fault', () => {
  test.each<[string, object, string]>([
    ['command', { command: 'run-${claim:email}' }, `${place}.command: `],
    ['args', { command: 'x', args: ['--user', '${claim:email}'] }, `${place}.args[1]: `],
    ['cwd', { command: 'x', cwd: '/home/${claim:email}' }, `${place}.cwd: `],
    ['url', { url: 'https://${claim:email}.example.com/' }, `${place}.url: `],
    ['httpUrl', { httpUrl: 'https://a.test/${claim:email}' }, `${place}.httpUrl: `],
    ['transport.url', { transport: { url: 'https://a.test/${claim:email}' } }, `${place}.transport.url: `],
    ['toolFilters', { command: 'x', toolFilters: ['${claim:email}'] }, `${place}.toolFilters[0]: `],
    ['envCommand', { command: 'x', envCommand: ['${claim:email}'] }, `${place}.envCommand[0]: `],
  ])('in %s, with line and column', (_, entry, start) => {
    const [fault = '', ...others] = faultsOf(fileWith(entry));
    expect(fault.startsWith(`${locationIn(fileWith(entry))} ${start}`)).toBe(true);
    expect(fault).toContain(
      '${claim:email} can be used only in values of "env" and "headers". A claim may be text that',
    );
    expect(others).toEqual([]);
  });

  test.each(['PATH', 'HOME', 'LD_PRELOAD', 'NODE_OPTIONS', 'GIT_SSH_COMMAND', 'BASH_ENV'])(
    'in the variable %s, which may decide what runs',
    (name) => {
      const faults = faultsOf(fileWith({ command: 'x', env: { [name]: '${claim:email}' } }));
      expect(faults).toEqual([
        expect.stringContaining(`${place}.env.${name}: \${claim:email} cannot be used in a variable`),
      ]);
    },
  );

  test('if the file does not list it', () => {
    const file = fileWith({ command: 'x', env: { A: '${claim:email}${claim:phone}${claim:phone}' } });
    expect(faultsOf(file)).toEqual([
      `${locationIn(file)} ${place}.env.A: "claims" of "http.auth" does not list the claim 'phone'. Add "phone" to "claims" of "http.auth", or remove \${claim:phone}.`,
    ]);
  });
});
