import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, shareSessions, textOf } from '../support/shared.js';

linuxOnly('counts processes in /proc, python3');

test('a session does not join a process that was started from a directory which is no longer trusted', async () => {
  const shared = shareSessions(devToolbox({ any: { command: 'python3', args: ['-m', 'some_server'] } }));
  const { args = [] } = fixture();
  const argv = JSON.stringify([process.execPath, ...args]);
  writeFileSync(
    join(shared.cwd, 'some_server.py'),
    `import os\nos.execv(${JSON.stringify(process.execPath)}, ${argv})\n`,
  );
  const run = (...words: string[]) => runCommand(words, { env: { HOME: shared.home } });
  const first = await shared.start();
  expect(textOf(await call(first, 'echo'))).toContain('No module named some_server');
  await run('trust', shared.cwd, '--yes');
  const trusting = await shared.start();
  for (const session of [first, trusting])
    expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(shared.servers()).toHaveLength(1);
  await run('untrust', shared.cwd);
  const later = await shared.start();
  expect(textOf(await call(later, 'echo', { text: 'here' }))).toContain('No module named some_server');
  expect(textOf(await call(first, 'echo', { text: 'still' }))).toContain('still');
});

test('what is said about a server in a directory that is not trusted has no value of a secret variable in it', async () => {
  const secret = 'hidden_module_name';
  const shared = shareSessions(devToolbox({ any: { command: 'python3', args: ['-m', '${MODULE_TOKEN}'] } }));
  writeFileSync(join(shared.cwd, `${secret}.py`), '');
  const session = await shared.start({ env: { MODULE_TOKEN: secret } });
  const said = textOf(await call(session, 'echo'));
  expect(said).toContain('No module named ***');
  expect(said).not.toContain(secret);
  expect(session.stderr()).not.toContain(secret);
});
