// @module-tag hostile
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { intrude, refused, served } from '../support/host-intruder.js';
import { linuxOnly } from '../support/platform.js';
import { copyProgram } from '../support/program-copy.js';
import { fixture } from '../support/servers.js';
import { call, shareSessions, textOf } from '../support/shared.js';

linuxOnly('reads the rights of processes in /proc');

// What needs root or packages is in test/system/host-rights.test.ts.

/** A session that has attached. */
async function running() {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const session = await shared.start();
  await call(session, 'echo');
  return { shared, session };
}

test('a host serves a process with its own rights, and none that may not get new privileges', async () => {
  const { shared } = await running();
  expect(intrude(shared, [])).toEqual(served);
  expect(intrude(shared, ['setpriv', '--no-new-privs'])).toEqual(refused(/rights are not those .*\(NoNewPrivs\)$/));
});

test('a host serves no process that says it is another one, not even one with the rights of the host', async () => {
  const { shared, session } = await running();
  const notShown = refused(/^the session has not shown that it is process \d+$/);
  expect(intrude(shared, [], session.pid)).toEqual(notShown);
  expect(intrude(shared, [], 1)).toEqual(notShown);
  expect(intrude(shared, [], 4_194_304)).toEqual(notShown);
  const other = spawn('sleep', ['600']);
  onTestFinished(() => void other.kill());
  expect(intrude(shared, ['setpriv', '--no-new-privs'], other.pid)).toEqual(notShown);
});

test('a session has the name it had before it attached', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const session = await shared.start();
  const nameOf = () => readFileSync(`/proc/${session.pid}/comm`, 'utf8');
  const before = nameOf();
  await call(session, 'echo');
  expect(nameOf()).toBe(before);
});

test('a session whose hosts start with other rights than its own starts one of them, and runs its servers itself', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const { main, host } = copyProgram(shared.dir);
  const started = join(shared.home, 'started');
  writeFileSync(started, '');
  const text = readFileSync(host, 'utf8');
  writeFileSync(
    host,
    `require('node:fs').appendFileSync(${JSON.stringify(started)}, 'x');process.umask(0o123);\n${text}`,
  );
  const session = await shared.start({ program: main });
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(readFileSync(started, 'utf8')).toBe('x');
  expect(session.stderr()).toContain(
    'itself, it does not share them: a host that this session starts has other rights',
  );
  expect(shared.hosts()).toEqual([]);
});
