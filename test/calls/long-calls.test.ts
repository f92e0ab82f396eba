// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { type LaunchOptions, temporaryDirectory } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { ending, hostOf, shareSessions, textOf } from '../support/shared.js';
import { until } from '../support/until.js';
import { modern, startWorkbench } from '../support/workbench.js';

const tool = { toolbox: 'dev', server: 'any', name: 'wait_for' };
const next = (id: string) =>
  `It goes on. Wait for it: use_tool ${JSON.stringify({ tool, result: { of: id } })} Stop it: …"cancel":true`;

const use = (input: object) => ({ name: 'use_tool', arguments: { tool, ...input } });

function configWith(log: CallLog) {
  return { ...devToolbox({ any: fixture('--log', log.path) }), answerWithinMs: 300 };
}

/** Calls of the tool that the server got. */
const callsIn = (log: CallLog) => log.methods('tools/call').length;
const isCancelledIn = (log: CallLog) => log.methods('notifications/cancelled').length > 0;

describe.each([
  ['with a host', 'legacy', {}],
  ['with a host', 'modern', {}],
  ['without a host', 'legacy', { alone: true }],
] as const)('%s, a %s agent with answerWithinMs', (_, era, launch: LaunchOptions) => {
  test('gets an id, waits for the result with it, and the tool is called once', async () => {
    const log = callLog();
    const workbench = startWorkbench({ config: configWith(log), ...launch });
    if (era === 'legacy') {
      const clientInfo = { name: 'anything', version: '1' };
      await workbench.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    }
    const ask = async (input: object) =>
      textOf(await workbench.request('tools/call', era === 'legacy' ? use(input) : modern(use(input))));
    const file = join(temporaryDirectory(), 'there');
    const first = await ask({ arguments: { file, say: 'indexed 12,000 of 90,000' } });
    expect(first).toContain(`. ${next('r1')}`);
    // The server may still be starting at the first limit.
    await until(() => callsIn(log) === 1);
    const reported = /^Still running after [\d.]+ s \("indexed 12,000 of 90,000"\)\. It goes on\. /;
    while (!reported.test(await ask({ result: { of: 'r1' } })));
    writeFileSync(file, '');
    const read = async (options: object = {}) => {
      for (;;) {
        const text = await ask({ result: { of: 'r1', ...options } });
        if (!text.startsWith('Still running')) return text;
      }
    };
    expect(await read()).toBe(`found ${file}`);
    expect(await read({ find: 'found' })).toBe(`line 1: found ${file}`);
    expect(callsIn(log)).toBe(1);
  });

  test('ends a call with `cancel`, and a session that ends cancels its calls', async () => {
    const log = callLog();
    const workbench = startWorkbench({ config: configWith(log), ...launch });
    const ask = async (input: object) => textOf(await workbench.request('tools/call', modern(use(input))));
    const file = join(temporaryDirectory(), 'never');
    expect(await ask({ arguments: { file } })).toContain(next('r1'));
    await until(() => callsIn(log) === 1);
    expect(await ask({ result: { of: 'r1', cancel: true } })).toBe(
      'Cancelled. It is unknown whether the tool took effect.',
    );
    await until(() => isCancelledIn(log));
    expect(await ask({ arguments: { file } })).toContain(next('r2'));
    await until(() => callsIn(log) === 2);
    workbench.end();
    await workbench.exited;
    if (launch.alone !== true) await until(() => log.methods('notifications/cancelled').length === 2);
    expect(callsIn(log)).toBe(2);
  });
});

test('after the host is killed, the outcome of a call that goes on is unknown, and it is not made again', async () => {
  posixOnly('has hosts');
  const log = callLog();
  const shared = shareSessions(configWith(log));
  const session = await shared.start();
  const ask = async (input: object) => textOf(await session.request('tools/call', use(input)));
  expect(await ask({ arguments: { file: join(temporaryDirectory(), 'never') } })).toContain(next('r1'));
  await until(() => callsIn(log) === 1);
  process.kill(hostOf(shared).pid, 'SIGKILL');
  await until(() => session.stderr().includes('was lost'));
  for (let time = 1; time <= 2; time++)
    expect(await ask({ result: { of: 'r1' } })).toBe(
      "Result 'r1' is no longer kept: the host process that runs the servers was lost during the call. It is unknown whether the tool took effect. The call was not retried.",
    );
  expect(callsIn(log)).toBe(1);
});

test('a session that is killed has its calls cancelled that go on, and nothing of it is left', async () => {
  posixOnly('has hosts');
  const log = callLog();
  const shared = shareSessions(configWith(log));
  const [killed, other] = [await shared.start(), await shared.start()];
  const ask = async (session: typeof killed, input: object) => textOf(await session.request('tools/call', use(input)));
  const never = { arguments: { file: join(temporaryDirectory(), 'never') } };
  for (const session of [killed, other]) expect(await ask(session, never)).toContain(next('r1'));
  await until(() => callsIn(log) === 2);
  process.kill(killed.pid, 'SIGKILL');
  await until(() => log.methods('notifications/cancelled').length === 1);
  // The same id in another session is another call.
  expect(await ask(other, { result: { of: 'r1' } })).toContain(next('r1'));
  await ending(shared, [other]);
  expect(log.methods('notifications/cancelled')).toHaveLength(2);
});
