import { expect, test } from 'vitest';
import { version } from '../../src/platform/version.js';
import { displayWidth } from '../../src/text/display-width.js';
import { runOnTerminal } from '../support/commands.js';
import { createHome, type Home, marked } from '../support/homes.js';
import { posixOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';

// What users see, in a terminal of 80 columns and piped, kept as text in test/golden.

posixOnly('needs a pseudo-terminal');

const tool = (name: string, description: string, properties: object = {}, required: string[] = []) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
});
const text = { type: 'string' };
const github = fixtureWith([
  tool(
    'get_issue',
    'Get details of a specific issue in a GitHub repository.',
    { owner: text, repo: text, issue_number: { type: 'number' } },
    ['owner', 'repo', 'issue_number'],
  ),
  tool(
    'search_code',
    'Search for code across GitHub repositories. A second sentence.',
    {
      q: { ...text, description: 'the query' },
      order: { enum: ['asc', 'desc'] },
      page: { type: 'number' },
      per_page: { type: 'number' },
    },
    ['q'],
  ),
]);
const files = fixtureWith([tool('read_file', 'Reads a file.', { path: text }, ['path'])]);
// Not the words of its arguments, which may be secrets.
const broken = { command: 'sh', args: ['-c', 'printf "con%sion re%s\\n" nect fused >&2; exit 1'] };
const config = {
  toolboxes: {
    dev: {
      description: 'Code, issues and documentation',
      mcpServers: { github: { ...github, env: marked }, files: { ...files, env: marked }, 日本語: fixture() },
    },
    data: {
      description: 'Databases, read only, with a description that is too long for one line of the screen',
      mcpServers: { postgres: broken, old: { command: 'x', disabled: true } },
    },
  },
};

/** What differs from run to run, replaced. */
function steady(screen: string, home: Home): string {
  return (
    screen
      .replaceAll(home.config, '<home>/workbench-config.json')
      .replaceAll(/~\/\S*\/workbench-config\.json/g, '~/.config/mcp-workbench/workbench-config.json')
      .replaceAll(home.directory, '<home>')
      .replaceAll(version, '0.0.0')
      // Of the path of the configuration.
      .replaceAll(/reads about \d+ tokens/g, 'reads about N tokens')
      .replaceAll(/\b\d+ (s|min)\b/g, 'N $1')
      .replaceAll(/\b\d+\.\d s\b/g, 'N s')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/\[\d+\]/g, '[<pid>]')
      // Where tests run without a host.
      .replaceAll(/^Sessions share no servers: .*\n/gm, '')
  );
}

/** `columns`: more where paths of the home are in a text that is wrapped. */
async function expectScreens(home: Home, name: string, args: string[], code: number, columns = 80): Promise<void> {
  const seen = await home.see(args, columns);
  const piped = await home.run(...args);
  const shown = `$ mcp-workbench ${args.join(' ')}\n${steady(seen.screen, home)}(${seen.code})\n`;
  const plain = `$ mcp-workbench ${args.join(' ')} | cat\n${steady(piped.stdout, home)}${piped.stderr === '' ? '' : `stderr:\n${steady(piped.stderr, home)}`}(${piped.code})\n`;
  await expect(`${shown}\n${plain}`).toMatchFileSnapshot(`../golden/${name}.txt`);
  expect([seen.code, piped.code]).toEqual([code, code]);
  // What is not ours to break, a command or a path, may be longer.
  const long = seen.screen
    .split('\n')
    .filter((line) => line.length > columns && !/mcp-workbench |\/|schema/.test(line));
  expect(long).toEqual([]);
}

test('the screens of a configuration with servers in several states', async () => {
  const home = createHome(config);
  for (const server of ['files', 'github']) expect((await home.run('tools', 'dev', server)).code).toBe(0);
  expect((await home.run('tools', 'data', 'postgres')).code).toBe(4);
  await expectScreens(home, 'list', ['list'], 0);
  await expectScreens(home, 'list-server', ['list', 'data', 'postgres'], 0);
  const known = await home.run('list', 'dev', 'github');
  expect(known.stdout).toMatch(/\n {2}Command {5}.*scripted-server\.mjs'? --tools-json/);
  expect(known.stdout).toMatch(
    /\n {2}Variables {3}WORKBENCH_TEST_MARKER\n {2}Tools {7}read \d+ s ago: get_issue, search_code\n/,
  );
  await expectScreens(home, 'tools', ['tools'], 0);
  await expectScreens(home, 'tools-server', ['tools', 'dev', 'github'], 0);
  await expectScreens(home, 'tools-tool', ['tools', 'dev', 'github', 'search_code'], 0);
  await expectScreens(home, 'tools-search', ['tools', '--search', 'read a file'], 0);
  await expectScreens(home, 'tools-broken', ['tools', 'data', 'postgres'], 4, 1_000);
  await expectScreens(home, 'tools-offline', ['tools', 'dev', '日本語', '--offline'], 1);
  await expectScreens(home, 'validate', ['validate'], 0);
  const status = await home.see([]);
  expect(status.code).toBe(0);
  await expect(steady(status.screen, home)).toMatchFileSnapshot('../golden/status.txt');
});

test('the screens of a new user, of a broken file and of the help', async () => {
  const fresh = createHome();
  await expectScreens(fresh, 'no-configuration', ['list'], 0);
  const faulty = createHome(`{
  "toolboxes": {
    "dev": {
      "description": "Mine",
      "mcpServers": { "github": { "comand": "npx" } }
    }
  }
}`);
  await expectScreens(faulty, 'validate-faults', ['validate'], 3);
  await expectScreens(faulty, 'list-faults', ['list'], 3, 1_000);
  const status = await faulty.see([]);
  expect(status.code).toBe(3);
  expect(status.screen).toMatch(/Next: mcp-workbench validate\n/);
  await expectScreens(fresh, 'help-tools', ['tools', '--help'], 0);
  await expectScreens(fresh, 'logs', ['logs'], 0);
});

test('marks fall back to words where the terminal has no Unicode', async () => {
  const home = createHome(config);
  const { stdout } = await home.run('list');
  expect(stdout).toContain('github    not measured yet');
  const ascii = runOnTerminal(['validate'], { env: { ...home.env, LANG: 'C', NO_COLOR: '1' } });
  await ascii.exited;
  expect(ascii.screen()).toMatch(/^ok ~/);
});

test('colours are there on a terminal only, and not with NO_COLOR or --no-color', async () => {
  const home = createHome(config);
  const shown = async (args: string[], env = {}) => {
    const terminal = runOnTerminal(args, { env: { ...home.env, ...env } });
    await terminal.exited;
    return terminal.screen();
  };
  expect(await shown(['validate'])).toContain('\u001B[32m✓\u001B[0m');
  expect(await shown(['validate'], { NO_COLOR: '1' })).toMatch(/^✓ /);
  expect(await shown(['validate', '--no-color'])).toMatch(/^✓ /);
  expect((await home.run('validate')).stdout).toMatch(/^✓ /);
});

test('a terminal of 20 columns shows everything, and commands uncut', async () => {
  const home = createHome(config);
  const { code, screen } = await home.see(['list'], 20);
  expect(code).toBe(0);
  expect(screen).toContain('  github\n    not measured yet\n    –\n');
  const others = screen.split('\n').filter((line) => !line.includes('mcp-workbench'));
  expect(others.filter((line) => displayWidth(line) > 20)).toEqual([]);
  for (const args of [[], ['tools'], ['validate'], ['help']]) expect((await home.see(args, 20)).code).toBe(0);
});
