import { expect, test } from 'vitest';
import { runnersIn } from './words.js';

const specs = (...line: string[]) => runnersIn(line).flatMap((runner) => runner.specs);

test.each([
  [['npx', '-y', 'pkg', '/dir'], ['pkg']],
  [['npx', 'pkg@1.2', 'other'], ['pkg@1.2']],
  [['/usr/bin/npx', '--yes', '@x/y@latest'], ['@x/y@latest']],
  [['C:\\Program Files\\nodejs\\npx.cmd', 'pkg'], ['pkg']],
  [
    ['npx', '-p', 'pkg', 'program'],
    ['pkg', 'program'],
  ],
  [
    ['npx', '--package=pkg', '--', 'program'],
    ['pkg', 'program'],
  ],
  [
    ['npx', '--loglevel', 'error', 'pkg', 'x'],
    ['error', 'pkg'],
  ],
  [['npm', 'exec', '--', 'pkg'], ['pkg']],
  [['npm', '--silent', 'x', 'pkg'], ['pkg']],
  [['npm', 'run', 'x'], ['pkg'].slice(1)],
  [['bunx', 'pkg'], ['pkg']],
  [['bun', 'x', 'pkg'], ['pkg']],
  [['pnpm', 'dlx', 'pkg'], ['pkg']],
  [['yarn', 'dlx', 'pkg'], ['pkg']],
  [['cmd', '/c', 'npx', '-y', 'pkg'], ['pkg']],
  [['env', 'A=1', 'npx', 'pkg'], ['pkg']],
  [['sh', '-c', 'cd x && exec npx -y "pkg" y'], ['pkg']],
  [['op', 'run', '--', 'npx', 'pkg'], ['pkg']],
  [['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', 'pkg'], ['pkg']],
  [['node', 'C:\\npm\\bin\\npm-cli.js', 'exec', 'pkg'], ['pkg']],
  [['node', 'npx-like.js', 'pkg'], []],
])('%j runs the packages %j', (line, expected) => {
  expect(specs(...line)).toEqual(expected);
});
