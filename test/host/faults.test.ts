// @module-tag slow
import { linkSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { hostNames } from '../../src/serve/host/socket-names.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly, rootOnly } from '../support/platform.js';
import { copyProgram } from '../support/program-copy.js';
import { watchRemains } from '../support/remains.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, type SharedSessions, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';
import type { Message, RunningWorkbench } from '../support/workbench.js';
import { withMounts } from '../system/namespaces.js';

linuxOnly('counts processes in /proc');

// Each fault with calls in flight in two sessions, and with a third session that begins afterwards.

interface Fault {
  /** Changes what the sessions see of the system. */
  readonly script?: (shared: SharedSessions) => string;
  readonly before?: (shared: SharedSessions) => unknown;
  readonly during?: (shared: SharedSessions) => void;
  /** Whether calls in flight are lost: all, or those of the session that is the first to notice. */
  readonly loses?: 'all' | 'some';
  /** Why sessions run their servers themselves: those from before the fault, and that from afterwards. */
  readonly own?: string;
  readonly lateOwn?: string;
  /** How many there are in the end. */
  readonly hosts: number;
}

const inMounts = (change: string) => ({
  script: () => `run='${socketDirectory()}'; mkdir -p "$run"; mount -t tmpfs -o mode=700 none "$run"; ${change}`,
});

const faults: Readonly<Record<string, Fault>> = {
  'the host is killed': { during: (shared) => signal(shared, 'SIGKILL'), loses: 'all', hosts: 1 },
  'the host is stopped': {
    during: (shared) => signal(shared, 'SIGSTOP'),
    ...{ loses: 'some', lateOwn: 'the host does not answer', hosts: 1 },
  },
  'the disk for the log of the host is full': {
    script: ({ home }) => `mount -t tmpfs -o size=4k none '${home}'; head -c 8192 /dev/zero > '${home}/full' || true`,
    hosts: 3,
  },
  'the socket is deleted': { during: ({ socket }) => unlinkSync(socket), hosts: 2 },
  'others can enter the directory of sockets': {
    ...inMounts('chmod 755 "$run"'),
    ...{ own: 'is open to other users', hosts: 0 },
  },
  'nothing can be written to the directory of sockets': {
    ...inMounts('mount -o remount,ro "$run"'),
    ...{ own: '', hosts: 0 },
  },
  'the path of the socket is too long': { before: removeShortDirectory, script: longHome, hosts: 3 },
  'a host refuses the hello': { before: takePlace, own: 'This host is of version', hosts: 0 },
  'what answers at the socket has another wire number': {
    before: ({ socket }) => answerAt(socket, '{"workbench":2}\n'),
    ...{ own: 'another program answers', hosts: 0 },
  },
  'a host of another version runs': { before: startOther, hosts: 1 },
};

test.each(Object.entries(faults))(
  '%s: every session works, each pending call has one answer, none is executed twice, and nothing is left 15 s after the last session',
  { timeout: 120_000 },
  async (_, { script, before, during, loses, own, lateOwn = own, hosts }) => {
    if (script !== undefined) rootOnly('namespaces');
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    await before?.(shared);
    const options = script === undefined ? {} : { through: withMounts(script(shared)) };
    const sessions = [await shared.start(options), await shared.start(options)];
    const remains = watchRemains(shared);
    const executed = () => log.methods('tools/call').map((entry) => JSON.stringify(entry.arguments));
    const pending = sessions.flatMap((session, index) =>
      ['a', 'b', 'c'].map((name) => ({ session, id: index + name })),
    );
    const file = `${log.path}.end`;
    const params = (id: string) => use('wait_for', { id, file });
    for (const { session, id } of pending) session.send({ id, method: 'tools/call', params: params(id) });
    await until(() => executed().length === pending.length);
    remains.note(sessions);

    // Both may have started one; the other ends when it finds the socket taken.
    if (during !== undefined) await until(() => shared.hosts().length === 1);
    during?.(shared);
    const late = await shared.start(options);
    await expectAnswer(late, 'late');
    writeFileSync(file, '');
    const lost = countLost(await Promise.all(pending.map(({ session, id }) => session.answerTo(id))));
    if (loses === 'some') expect(lost).toBeGreaterThan(0);
    else expect(lost).toBe(loses === 'all' ? pending.length : 0);
    for (const [index, session] of sessions.entries()) await expectAnswer(session, `after ${index}`);

    expect(executed()).toHaveLength(pending.length + 3);
    expect(new Set(executed()).size).toBe(executed().length);
    for (const { session, id } of pending)
      expect(session.lines.filter((line) => JSON.parse(line).id === id)).toHaveLength(1);
    expect(shared.hosts()).toHaveLength(hosts);
    for (const session of sessions) expectReason(session, own);
    expectReason(late, lateOwn);
    await remains.expectNone([...sessions, late]);
  },
);

async function expectAnswer(session: RunningWorkbench, text: string): Promise<void> {
  expect(textOf(await call(session, 'echo', { text }))).toBe(JSON.stringify({ text }));
}

/** The others must have their result. */
function countLost(answers: readonly Message[]): number {
  const lost = answers.filter(({ result }) => result?.['isError'] === true);
  for (const answer of answers) {
    if (!lost.includes(answer)) expect(textOf(answer)).toMatch(/^found /);
    else expectLost(answer);
  }
  return lost.length;
}

function expectLost(answer: Message): void {
  expect(textOf(answer)).toMatch(/^Tool '\w+' of server 'any' \(toolbox 'dev'\) failed: the host process/);
  expect(textOf(answer)).toContain('It is unknown whether the tool took effect. The call was not retried.');
  expect(answer.result).toMatchObject({ _meta: { 'mcp-workbench/code': 'HOST_LOST' } });
}

/** It is given once, or there is none. */
function expectReason(session: RunningWorkbench, reason: string | undefined): void {
  const warnings = session.stderr().split('this session runs its servers itself, it does not share them: ').slice(1);
  expect(warnings).toHaveLength(reason === undefined ? 0 : 1);
  for (const warning of warnings) expect(warning).toContain(reason);
}

function signal(shared: SharedSessions, name: NodeJS.Signals): void {
  process.kill(hostOf(shared).pid, name);
}

/** A home whose path is too long for a socket, and no other place for sockets. */
function longHome({ dir }: SharedSessions): string {
  const users = join(dir, 'passwd');
  writeFileSync(users, `root:x:0:0:root:/home/${'long/'.repeat(18)}:/bin/sh\n`);
  return `mount --bind '${users}' /etc/passwd; [ ! -d /run/user/0 ] || mount -t tmpfs -o mode=755 none /run/user/0`;
}

function removeShortDirectory(): void {
  onTestFinished(() => {
    try {
      rmdirSync('/tmp/mcp-workbench-0');
    } catch {
      // Somebody uses it.
    }
  });
}

/** Another build of the program with a host of its own, whose socket this is. */
async function startOther({ hostName, socket }: SharedSessions): Promise<string> {
  const other = shareSessions(devToolbox({ any: fixture() }), `${hostName}.other`);
  const build = '0123abcd';
  const session = await other.start({ program: copyProgram(other.dir, build).main });
  await call(session, 'echo');
  return join(dirname(socket), hostNames(other.hostName, build).shared);
}

/** A host of another version has the name of the right one. */
async function takePlace(shared: SharedSessions): Promise<void> {
  linkSync(await startOther(shared), shared.socket);
  onTestFinished(() => unlinkSync(shared.socket));
}

async function answerAt(path: string, answer: string): Promise<void> {
  const server = createServer((socket) => void socket.on('error', () => {}).write(answer));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}
