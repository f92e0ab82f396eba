import { describe, expect, test } from 'vitest';
import { pending } from '../../../test/support/fake-port.js';
import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';
import { createSharedListing } from './shared-listing.js';

const [one, other, third] = [{}, {}, {}];
const never = new AbortController().signal;

/** A server whose listings end when the test says so; each lists one tool, with its number. */
function server() {
  const requests: (ReturnType<typeof pending<void>> & { readonly signal: AbortSignal })[] = [];
  const listing = createSharedListing(async (signal): Promise<ListedTools> => {
    const request = { ...pending<void>(), signal };
    signal.addEventListener('abort', () => request.reject(failureOf(signal)));
    const number = requests.push(request);
    await request.promise;
    return { tools: [{ name: `listing ${number}`, inputSchema: { type: 'object' } }], omissions: {} };
  });
  const list = async (lease: object, signal = never) => (await listing.list(lease, signal)).tools[0]?.name;
  return { listing, list, requests };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('sessions that list at the same time share one request, also one that comes a moment later', async () => {
  const { list, requests } = server();
  const both = Promise.all([list(one), list(other)]);
  await turn();
  requests[0]?.resolve();
  expect(await both).toEqual(['listing 1', 'listing 1']);
  expect(await list(third)).toBe('listing 1');
  expect(requests).toHaveLength(1);
});

test('a session that lists again gets a new listing', async () => {
  const { list, requests } = server();
  const first = list(one);
  requests[0]?.resolve();
  expect(await first).toBe('listing 1');
  const again = list(one);
  await turn();
  requests[1]?.resolve();
  expect(await again).toBe('listing 2');
});

test('after a change no session gets a listing that began before it; all that ask until then share the next one', async () => {
  const { listing, list, requests } = server();
  const first = list(one);
  await turn();
  listing.changed();
  const later = Promise.all([list(one), list(other), list(third)]);
  await turn();
  expect(requests).toHaveLength(1);
  requests[0]?.resolve();
  expect(await first).toBe('listing 1');
  await turn();
  requests[1]?.resolve();
  expect(await later).toEqual(['listing 2', 'listing 2', 'listing 2']);
  expect(requests).toHaveLength(2);
});

test('a listing that failed is not shared with later sessions', async () => {
  const { list, requests } = server();
  const failed = list(one);
  await turn();
  requests[0]?.reject(new Error('no tools'));
  await expect(failed).rejects.toThrow('no tools');
  const next = list(other);
  await turn();
  requests[1]?.resolve();
  expect(await next).toBe('listing 2');
});

describe('a session that waits no longer', () => {
  const late = new DownstreamFailure('timeout', 'too late');

  test('leaves the listing to the others, and the last one that leaves ends it', async () => {
    const { list, requests } = server();
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [list(one, first.signal), list(other, second.signal)];
    const failing = Promise.allSettled(both);
    first.abort(late);
    await expect(both[0]).rejects.toBe(late);
    expect(requests[0]?.signal.aborted).toBe(false);
    second.abort(late);
    await failing;
    expect(requests[0]?.signal.aborted).toBe(true);
    // Who comes at this very moment gets another one.
    const next = list(third);
    requests[1]?.resolve();
    expect(await next).toBe('listing 2');
  });

  test('for one that has not begun yet has it never begun', async () => {
    const { listing, list, requests } = server();
    const first = list(one);
    listing.changed();
    const leaving = new AbortController();
    const left = list(other, leaving.signal);
    leaving.abort(late);
    await expect(left).rejects.toBe(late);
    requests[0]?.resolve();
    await first;
    await turn();
    expect(requests).toHaveLength(1);
    const next = list(third);
    await turn();
    requests[1]?.resolve();
    expect(await next).toBe('listing 2');
  });
});
