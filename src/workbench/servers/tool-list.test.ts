import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import { cutListingAgeMs } from '../../limits.js';
import { silentLog } from '../../platform/log.js';
import type { Omissions } from '../../results/omissions.js';
import type { Downstream } from '../ports/downstream.js';
import { createToolList } from './tool-list.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

async function listed(omissions: Omissions) {
  const listTools = vi.fn<Downstream['listTools']>(async () => ({ tools: [], omissions }));
  const refuse = async () => {
    throw new Error('not called');
  };
  const downstream = {
    ...{ instructions: undefined, listTools, callTool: refuse, readResource: refuse },
    adjust: () => {},
    close: async () => {},
  };
  const signal = new AbortController().signal;
  return {
    listTools,
    tools: await createToolList(
      () => serverConfig(),
      downstream,
      signal,
      () => {},
      silentLog,
    ),
  };
}

test('for an unknown name the tools are listed again, each time', async () => {
  const { listTools, tools } = await listed({ malformed: 3 });
  await tools.lookAgain();
  await tools.lookAgain();
  expect(listTools).toHaveBeenCalledTimes(3);
});

test.each([{ excess: 1 }, { cut: 1 }])(
  'a listing that was cut (%j) is not repeated for it within ten seconds',
  async (omissions) => {
    const { listTools, tools } = await listed(omissions);
    await tools.lookAgain();
    expect(listTools).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(cutListingAgeMs);
    await tools.lookAgain();
    await tools.lookAgain();
    expect(listTools).toHaveBeenCalledTimes(2);
  },
);

test('after a change that the server reported, a listing that was cut is repeated at once', async () => {
  const { listTools, tools } = await listed({ cut: 1 });
  tools.changed();
  await tools.lookAgain();
  expect(listTools).toHaveBeenCalledTimes(2);
});
