import { expect, test } from 'vitest';
import { pending } from '../../../test/support/fake-port.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';
import { createSharedListing } from './shared-listing.js';

const [one, other, third] = [{}, {}, {}];

/** A server whose listings end when the test says so; each lists one tool, with its number. */
function server() {
  const requests: ReturnType<typeof pending<void>>[] = [];
  const listing = createSharedListing(async (): Promise<ListedTools> => {
    const request = pending<void>();
    const number = requests.push(request);
    await request.promise;
    return { tools: [{ name: `listing ${number}`, inputSchema: { type: 'object' } }], omissions: {} };
  });
  const list = async (lease: object) => (await listing.list(lease)).tools[0]?.name;
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

test('after a change nobody gets a listing that began before it; all that come meanwhile share the next one', async () => {
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

test('a listing that failed is not shared with those that come later', async () => {
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
