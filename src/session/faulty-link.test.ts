import { expect, test } from 'vitest';
import { pending } from '../../test/support/fake-port.js';
import type { Configuration } from '../config/read/configuration.js';
import { readConfiguration } from '../config/read/configuration.js';
import { WorkbenchError } from '../contract/errors.js';
import type { RpcMessage, RpcRequest } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { unknownClient } from './caller.js';
import { createLiveConfiguration } from './configuration/live-configuration.js';
import { createFaultyLink } from './faulty-link.js';
import type { Pending } from './link.js';

const request = (id: number, method = 'tools/call'): RpcRequest => ({ jsonrpc: '2.0', id, method });
const computer = { env: {}, cwd: '/', home: '/' };

/** A link whose readings of the file the test controls. */
async function setUp() {
  const sent: RpcMessage[] = [];
  const lost: (readonly Pending[])[] = [];
  const readings: ReturnType<typeof pending<Configuration>>[] = [];
  const loaded = await readConfiguration(undefined, computer, silentLog);
  const live = createLiveConfiguration({ ...loaded, overview: { ...loaded.overview, fault: 'A fault.' } });
  const find = () => {
    const reading = pending<Configuration>();
    readings.push(reading);
    return reading.promise;
  };
  const output = { send: (message: RpcMessage) => void sent.push(message) };
  const link = createFaultyLink({ live, find, output, log: silentLog }, (unsent) => void lost.push(unsent));
  live.listener = { taken: (next) => link.apply(next), noted: () => {} };
  const settle = async (index: number, found: Configuration | string | Error) => {
    const reading = readings[index];
    if (typeof found === 'string') reading?.reject(new WorkbenchError('CONFIG_INVALID', found));
    else if (found instanceof Error) reading?.reject(found);
    else reading?.resolve(found);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const lostIds = () => lost.map((calls) => calls.map((call) => call.request.id));
  return { link, live, loaded, readings, sent, lostIds, settle };
}

test('a call that comes while the file is read for another one has it read again', async () => {
  const { link, readings, sent, settle } = await setUp();
  for (const id of [1, 2, 3]) link.start(request(id), unknownClient);
  expect(readings).toHaveLength(1);
  await settle(0, 'First fault.');
  expect(JSON.stringify(sent)).toContain('First fault.');
  expect(sent).toMatchObject([{ id: 1 }]);
  await settle(1, 'Second fault.');
  expect(sent).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(JSON.stringify(sent.slice(1)).match(/Second fault\./g)).toHaveLength(2);
  expect(readings).toHaveLength(2);
});

test('when the file loads, all calls that are not answered go to the next link, once', async () => {
  const { link, loaded, live, sent, lostIds, settle } = await setUp();
  for (const id of [1, 2, 3]) link.start(request(id), unknownClient);
  link.cancel(1);
  link.cancel(3);
  await settle(0, loaded);
  expect(lostIds()).toEqual([[2]]);
  live.take(loaded);
  expect(lostIds()).toEqual([[2]]);
  expect(sent).toEqual([]);
});

test('an edit that loads is noticed while the file is read: nothing is answered twice', async () => {
  const { link, live, loaded, sent, lostIds, settle } = await setUp();
  link.start(request(1), unknownClient);
  live.take(loaded);
  expect(lostIds()).toEqual([[1]]);
  await settle(0, 'A fault.');
  expect(sent).toEqual([]);
  // The calls that came while the link was opened.
  link.start(request(2), unknownClient);
  expect(lostIds()).toEqual([[1], [2]]);
});

test('another faulty text does not end the link', async () => {
  const { live, loaded, lostIds } = await setUp();
  live.take({ ...loaded, overview: { ...loaded.overview, fault: 'Another fault.' } });
  expect(lostIds()).toEqual([]);
});

test('a resource cannot be read, and an unexpected error has no details', async () => {
  const { link, sent, settle } = await setUp();
  link.start(request(1, 'resources/read'), unknownClient);
  await settle(0, 'A fault.');
  link.start(request(2), unknownClient);
  await settle(1, new TypeError('secret details'));
  expect(sent).toMatchObject([
    { id: 1, error: { message: expect.stringContaining('A fault.') } },
    { id: 2, error: { message: expect.stringContaining('Internal error') } },
  ]);
  expect(JSON.stringify(sent)).not.toContain('secret');
});
