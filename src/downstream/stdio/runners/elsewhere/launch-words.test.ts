import { expect, test } from 'vitest';
import { launchWords } from './launch-words.js';

const place = { directory: '/clone', ours: '/ours', node: '/bin/node', platform: 'linux' };
const launch = (...words: string[]) => launchWords(words, place);
/** With the launcher shown as `LAUNCHER`, its directory, and the package or program. */
const shown = (...words: string[]) => {
  const launched = launch(...words)?.words.map((word) => (word.includes('\n') ? 'LAUNCHER' : word)) ?? [];
  const at = launched.indexOf('LAUNCHER');
  const isShell = launched[at - 2] === 'sh';
  if (!isShell) return launched.join(' ');
  const [directory, , , name, program, ...args] = launched.slice(at + 2);
  return [...launched.slice(0, at - 2), `LAUNCHER(${directory}, ${name || program})`, ...args].join(' ');
};

test.each([
  ['pnpm dlx @x/y@1 a ./b', '--package=@x/y@1 dlx LAUNCHER(/clone, @x/y) a ./b'],
  ['pnpm --silent dlx y', '--package=y --silent dlx LAUNCHER(/clone, y)'],
  ['pnpm --package=a --package b dlx prog c', '--package=a --package=b dlx LAUNCHER(/clone, prog) c'],
  ['pnpm -C sub dlx y', '--package=y dlx LAUNCHER(/clone/sub, y)'],
  ['pnpm exec prog a', 'exec LAUNCHER(/clone, prog) a'],
  ['pnpx ./tool', '--package=/clone/tool LAUNCHER(/clone, )'],
  ['bunx y --port 1', '--package=y LAUNCHER(/clone, y) --port 1'],
  ['bun x -p y prog', '--package=y x LAUNCHER(/clone, prog)'],
])('%s is told to run the launcher', (line, expected) => {
  expect(shown(...line.split(' '))).toBe(`${line.split(' ')[0]} ${expected}`);
});

test.each([
  ['uvx y@latest a', 'uvx --from y@latest', 'y a'],
  ['uvx --from . prog', 'uvx --from /clone', 'prog'],
  ['uvx --from ./y[cli] prog', 'uvx --from /clone/y[cli]', 'prog'],
  ['uvx --with-requirements r.txt y>=1', 'uvx --with-requirements /clone/r.txt --from y>=1', 'y'],
  ['uvx git+https://x.org/y a', 'uvx --from git+https://x.org/y', ' a'],
  ['uv tool run -q y', 'uv tool run -q --from y', 'y'],
  ['pipx run y==1 a', 'pipx run --spec y==1', 'y a'],
  ['pipx run --spec y prog', 'pipx run --spec y', 'prog'],
  ['python3 -m pipx run y', 'python3 -m pipx run --spec y', 'y'],
])('%s is told to run the launcher by Python', (line, before, after) => {
  expect(shown(...line.split(' '))).toBe(`${before} python -I -S -c LAUNCHER /clone ${after}`);
});

test('the launcher is a package for yarn and a module for deno', () => {
  expect(shown('yarn', 'dlx', '-q', 'y', 'a')).toBe(
    'yarn dlx -q -p y -p mcp-workbench-launcher@portal:/ours/launcher mcp-workbench-launcher /clone y  a',
  );
  expect(shown('deno', 'run', '-A', '--allow-read=.,/x', 'npm:y', './a')).toBe(
    'deno run -A --allow-read=/clone,/x --preload=/ours/enter.mjs npm:y ./a',
  );
});

test('npm is given a shell that changes the directory', () => {
  expect(shown('npx', '--unknown', 'value', './tool', './a')).toBe(
    'npx --script-shell=/ours/shell --unknown value /clone/tool ./a',
  );
  expect(shown('npm', 'exec', '-c', 'prog a')).toBe('npm exec --script-shell=/ours/shell -c prog a');
});

test('a runner is found behind programs that start another one, and in a script of one command', () => {
  expect(shown('env', 'A=1', 'bunx', 'y')).toBe('env A=1 bunx --package=y LAUNCHER(/clone, y)');
  expect(shown('node', '/lib/npx-cli.js', '-c', 'y')).toBe('node /lib/npx-cli.js --script-shell=/ours/shell -c y');
  expect(launch('bash', '-lc', "A=1 exec npx -c 'y z'")?.words).toEqual([
    'bash',
    '-lc',
    "exec env A=1 npx --script-shell=/ours/shell -c 'y z'",
  ]);
});

test.each([
  [['dnx', 'y']],
  [['dotnet', 'tool', 'exec', 'y']],
  [['deno', 'x', 'npm:y']],
  [['pnpm', 'dlx', '--new-option', 'y']],
  [['pipx', 'run', './script.py']],
  [['sh', '-c', 'cd sub && npx -y "$NAME"']],
])('%j starts in our directory, and the server with it', (words) => {
  expect(launch(...words)?.isInDirectory).toBe(false);
});

test.each([
  [['node', 'server.js', 'npx']],
  [['my-server', '--runner', 'uvx']],
  [['deno', 'run', '-A', './main.ts']],
  [['npm', 'run', 'start']],
  [['uv', 'run', 'server']],
  [['sh', '-c', 'node server.js']],
  [['python', '-m', 'server']],
])('%j has no package runner', (words) => {
  expect(launch(...words)).toBeUndefined();
});
