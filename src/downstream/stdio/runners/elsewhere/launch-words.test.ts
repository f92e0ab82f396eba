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
  ['bunx y --port 1', '--package=y LAUNCHER(/clone, y) --port 1'],
  ['bun x -p y prog', '--package=y x LAUNCHER(/clone, prog)'],
])('%s is told to run the launcher', (line, expected) => {
  expect(shown(...line.split(' '))).toBe(`${line.split(' ')[0]} ${expected}`);
});

test.each([
  ['pnpx ./tool', 'pnpm --package=/clone/tool dlx LAUNCHER(/clone, )'],
  ['/x/pnpx.cjs --package a prog', '/x/pnpm.cjs --package=a dlx LAUNCHER(/clone, prog)'],
  ['/x/pnpx.js y', '/x/pnpx.js --package=y LAUNCHER(/clone, y)'],
])('%s is told to run the launcher by pnpm', (line, expected) => {
  expect(shown(...line.split(' '))).toBe(expected);
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
  ['prlimit --nofile=9 npx -y y', 'prlimit --nofile=9 npx --script-shell=/ours/shell -y y'],
  ['xvfb-run -a npx y', 'xvfb-run -a npx --script-shell=/ours/shell y'],
  ['dumb-init npx y', 'dumb-init npx --script-shell=/ours/shell y'],
  ['aws-vault exec p -- npx y', 'aws-vault exec p -- npx --script-shell=/ours/shell y'],
  ['op run --env-file=.env -- npx y', 'op run --env-file=/clone/.env -- npx --script-shell=/ours/shell y'],
  ['node --import ./x.js npx-cli.js y', 'node --import /clone/x.js npx-cli.js --script-shell=/ours/shell y'],
  ['npm --prefix sub exec y', 'npm --script-shell=/ours/shell --prefix /clone/sub exec y'],
])('%s keeps the server in its directory', (line, expected) => {
  expect(shown(...line.split(' '))).toBe(expected);
});

test.each([
  [
    ['env', '-S', 'A=1 npx "y z"', 'a'],
    ['env', 'A=1', 'npx', '--script-shell=/ours/shell', 'y z', 'a'],
  ],
  [
    ['env', '--split-string=npx y'],
    ['env', 'npx', '--script-shell=/ours/shell', 'y'],
  ],
  [
    ['nice', '-n', '5', 'sh', '-c', 'npx y'],
    ['nice', '-n', '5', 'sh', '-c', 'exec npx --script-shell=/ours/shell y'],
  ],
  [
    ['bash', '-o', 'pipefail', '-c', 'npx y'],
    ['bash', '-o', 'pipefail', '-c', 'exec npx --script-shell=/ours/shell y'],
  ],
])('the runner in a word of %j is placed', (words, expected) => {
  expect(launch(...words)).toMatchObject({ words: expected, isInDirectory: true });
});

test.each([
  [['sudo', 'npx', '-y', 'y']],
  [['some-wrapper', '--', 'uvx', 'y']],
  [['some-wrapper', '--exec=npx -y y']],
  [['some-wrapper', 'yarn', 'exec', 'y']],
  [['sudo', 'sh', '-c', './prepare && npx y']],
  [['cmd', '/c', 'npx -y y']],
  [['powershell', '-Command', 'npx -y y']],
  [['sh', '-c', 'exec "$@"', 'sh', 'npx', 'y']],
  [['sh', '-c', 'sudo npx y']],
  [['env', '-iS', 'npx y']],
  [['node', '/lib/wrap.js', 'npx', 'y']],
  [['node', '--unknown', 'value', '/lib/npx-cli.js', 'y']],
  [['uvx', 'some-proxy', '--', 'npx', 'y']],
  [['pnpm', 'exec', 'npx', 'y']],
  [['pnpx', 'pnpm@9', 'dlx', 'y']],
  [['npx', '-c', 'npx y']],
])('as it is not certain what starts the runner, %j starts in our directory as written', (words) => {
  expect(launch(...words)).toMatchObject({ words, isInDirectory: false });
});

test('paths in an uncertain command line are made absolute as far as they are known to be paths', () => {
  expect(shown('some-wrapper', '--cwd', 'sub', 'npx', 'y', './data', '.', 'data')).toBe(
    'some-wrapper --cwd /clone/sub npx y /clone/data /clone data',
  );
  expect(shown('env', '-C', 'sub', 'npx', 'y')).toBe('env -C /clone/sub npx y');
  expect(shown('env', '-S', '-C sub npx y')).toBe('env -C /clone/sub npx y');
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
  [['env', 'node', 'server.js']],
])('%j has no package runner', (words) => {
  expect(launch(...words)).toBeUndefined();
});

test.each([
  [['docker', 'run', '-i', '-v', '.:/x', 'node', 'npx', 'y']],
  [['op', 'run', '--', 'docker', 'run', '-i', 'node', 'npx', 'y']],
  [['sh', '-c', 'ssh host npx y']],
  [['node', 'server.js', 'npx', 'y']],
  [['./server', '--start', 'npx', 'y']],
  [['sh', 'run.sh', 'npx', 'y']],
])('%j has a runner that is not started in its directory, or by a program of the directory itself', (words) => {
  expect(launch(...words)).toBeUndefined();
});
