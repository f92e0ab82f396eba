import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitAll } from '../../clients/journal/commit.js';
import { readJournal } from '../../clients/journal/store.js';
import { loadConfigFile } from '../../config/read/load.js';
import { digestOf, readTrust, realPathOf, writeTrust } from '../../config/trust/trust-store.js';
import type { Computer } from '../../platform/computer.js';
import type { ConfigurationEdit } from './configuration-edit.js';
import { nameSecrets, readSecretsFile, secretReference } from './secrets-file.js';
import { commitsOf, planConfiguration, writeConfiguration } from './write-configuration.js';

let home = '';
let computer: Computer;
let path = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcp-workbench-edit-'));
  computer = { env: {}, cwd: join(home, 'project'), platform: process.platform, home };
  mkdirSync(computer.cwd);
  path = join(computer.cwd, 'workbench-config.json');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const plain = '{ "toolboxes": { "dev": { "description": "d", "mcpServers": { "a": { "command": "a" } } } } }\n';
const newToolbox: ConfigurationEdit = { kind: 'add toolbox', toolbox: 'web', description: 'Web' };
const withToken: ConfigurationEdit = {
  kind: 'add server',
  toolbox: 'web',
  server: 's',
  entry: { command: 's', env: { TOKEN: secretReference('TOKEN') } },
};
const secrets = [{ name: 'TOKEN', value: 'a b\'c"\\d\n' }];
const secretsFile = () => join(computer.cwd, 'secrets.env');
const isPosix = process.platform !== 'win32';

describe('a configuration is written', () => {
  test('with its secrets beside it, both for the user alone, and the entry gets the value', async () => {
    const plan = planConfiguration({ path, edits: [newToolbox, withToken], secrets }, computer);
    expect(existsSync(path)).toBe(false);
    const record = await writeConfiguration(plan, 'add web s', computer);
    expect(record?.changes.map(({ path: file, before }) => [file, before])).toEqual([
      [secretsFile(), null],
      [path, null],
    ]);
    if (isPosix) for (const file of [path, secretsFile()]) expect(statSync(file).mode & 0o777).toBe(0o600);
    const target = loadConfigFile({ ...computer, path })
      .config?.toolboxes.get('web')
      ?.servers.get('s')?.target;
    expect(target).toMatchObject({ env: new Map([['TOKEN', 'a b\'c"\\d\n']]) });
    expect(readFileSync(path, 'utf8')).not.toContain("a b'c");
  });

  test('and the lines that secrets.env has stay, with a stricter mode', async () => {
    writeFileSync(path, plain);
    writeFileSync(secretsFile(), '# mine\r\nexport OTHER="x\r\ny"\r\nLAST=1');
    chmodSync(secretsFile(), 0o644);
    const change = { path, edits: [newToolbox, withToken], secrets: [...secrets, { name: 'LAST', value: '1' }] };
    await writeConfiguration(planConfiguration(change, computer), 'add web s', computer);
    expect(readFileSync(secretsFile(), 'utf8')).toBe(
      '# mine\r\nexport OTHER="x\r\ny"\r\nLAST=1\r\nTOKEN="a b\'c\\"\\\\d\\n"\r\n',
    );
    if (isPosix) expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
  });

  test('unless a secret of that name has another value; there is another name for it', () => {
    writeFileSync(secretsFile(), 'TOKEN=other\nTOKEN_2=a\n');
    expect(() => planConfiguration({ path, edits: [newToolbox, withToken], secrets }, computer)).toThrow(
      expect.objectContaining({ code: 'ENTRY_TAKEN' }),
    );
    const wanted = [...secrets, { name: 'TOKEN', value: 'a' }, { name: 'TOKEN', value: 'other' }, ...secrets];
    expect(nameSecrets(readSecretsFile(path), wanted).map(({ name }) => name)).toEqual([
      'TOKEN_3',
      'TOKEN_2',
      'TOKEN',
      'TOKEN_3',
    ]);
  });

  test('unless a file has changed since the plan was made', async () => {
    writeFileSync(path, plain);
    const plan = planConfiguration({ path, edits: [newToolbox, withToken], secrets }, computer);
    writeFileSync(path, `${plain}\n`);
    expect(await writeConfiguration(plan, 'add web s', computer)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(`${plain}\n`);
    expect(existsSync(secretsFile())).toBe(false);
    expect(readJournal(computer)).toEqual([]);
  });

  test.each<[string, ConfigurationEdit[], string]>([
    ['a toolbox without servers', [newToolbox], 'The toolbox has no server'],
    [
      'a server without a target',
      [{ kind: 'add server', toolbox: 'dev', server: 'x', entry: {} }],
      'nothing was changed',
    ],
    [
      'a malformed reference',
      [{ kind: 'add server', toolbox: 'dev', server: 'x', entry: { command: '${' } }],
      'malformed|closing',
    ],
    ['too much', [{ kind: 'add server', toolbox: 'dev', server: 'x', entry: { command: 'x'.repeat(1e7) } }], '10 MB'],
  ])('unless the result would be a fault: %s', (_, edits, why) => {
    writeFileSync(path, plain);
    expect(() => planConfiguration({ path, edits }, computer)).toThrow(new RegExp(why));
    expect(() => planConfiguration({ path, edits }, computer)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  test('or not at all: a file that cannot be written takes back those before it', async () => {
    writeFileSync(path, plain);
    const plan = planConfiguration({ path, edits: [newToolbox, withToken], secrets }, computer);
    const [first, second] = commitsOf(plan);
    if (first === undefined || second === undefined) throw new Error('two files are written');
    const unwritable = {
      ...second,
      read: () => ({ ...second.read(), real: join(home, 'project', 'workbench-config.json', 'x'), access: undefined }),
      plan: () => plan.configuration.content,
    };
    await expect(commitAll({ computer, headline: { command: 'add' }, files: [first, unwritable] })).rejects.toThrow();
    expect(existsSync(secretsFile())).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(plain);
    expect(readJournal(computer)).toEqual([]);
  });
});

describe('the trust of a file', () => {
  const trust = (bytes: string) => {
    const real = realPathOf(path);
    const at = '2026-01-01T00:00:00.000Z';
    writeTrust(computer, { files: [{ path: real, sha256: digestOf(real, Buffer.from(bytes)), at }], directories: [] });
  };
  const add: ConfigurationEdit = { kind: 'add server', toolbox: 'dev', server: 'b', entry: { command: 'b' } };
  const edit = () => writeConfiguration(planConfiguration({ path, edits: [add] }, computer), 'add dev b', computer);
  const isTrusted = () => loadConfigFile(computer).config !== undefined;

  test('is renewed if the file was trusted as it was', async () => {
    writeFileSync(path, plain);
    trust(plain);
    expect(isTrusted()).toBe(true);
    await edit();
    expect(isTrusted()).toBe(true);
    expect(readTrust(computer, () => {}).files).toHaveLength(1);
  });

  test('is not given to a file that had changed before', async () => {
    writeFileSync(path, plain);
    trust(`${plain} `);
    await edit();
    expect(isTrusted()).toBe(false);
  });

  test('is not given to a file that nobody trusts', async () => {
    writeFileSync(path, plain);
    await edit();
    expect(isTrusted()).toBe(false);
  });
});
