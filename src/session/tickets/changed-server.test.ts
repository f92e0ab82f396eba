import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type TicketSession, textResult, ticketSession, turns } from '../../../test/support/ticket-session.js';

const cancelled = 'Cancelled. It is unknown whether the tool took effect.';
/** By these, a tool can only be judged by what its server lists, which an edited one does once the call has ended. */
const byListing = { rules: [{ from: 'server', deny: ['@write'], ask: [], allow: [] }] } as const;

let session: TicketSession;

beforeEach(async ({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  session = await ticketSession();
  onTestFinished(async () => {
    await session.leave();
    vi.useRealTimers();
  });
  session.use(1);
  await turns();
  session.served[0]?.options.onProgress?.({ message: 'half' });
  await pass(50);
  expect(session.textOf(1)).toMatch(/^Still running after 50 s \("half"\)/);
});

async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  await turns();
}

async function of(id: number, result: object = {}): Promise<void> {
  session.use(id, { result: { of: 'r1', ...result } });
  await turns();
}

describe('a call that goes on while the entry of its server is edited', () => {
  test('is waited for', async () => {
    session.edit();
    await of(2);
    session.served[0]?.resolve(textResult('done'));
    await turns();
    expect(session.textOf(2)).toBe('done');
  });

  test('is cancelled at once', async () => {
    session.edit();
    await of(2, { cancel: true });
    expect(session.served[0]?.isCancelled()).toBe(true);
    expect(session.textOf(2)).toBe(cancelled);
  });

  test('shows nothing of its server until its tool can be judged, and is waited for', async () => {
    session.edit(byListing);
    session.fake.tools = [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
    await of(2);
    await pass(45.1);
    expect(session.textOf(2)).toMatch(/^Still running after 95 s\. It goes on\. Wait for it: .*"of":"r1"/);
    await of(3);
    session.served[0]?.resolve(textResult('done'));
    await turns();
    expect(session.textOf(3)).toBe('done');
    expect(session.served).toHaveLength(1);
  });

  test('is not shown if its tool turns out to be denied', async () => {
    session.edit(byListing);
    await of(2);
    session.served[0]?.resolve(textResult('done'));
    await turns();
    expect(session.resultOf(2)).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' } });
  });

  test('is cancelled when its tool cannot be judged in time', async () => {
    session.edit(byListing);
    await of(2, { cancel: true });
    await pass(45.1);
    expect(session.served[0]?.isCancelled()).toBe(true);
    expect(session.textOf(2)).toBe(cancelled);
  });

  test('is not cancelled by a request that is refused', async () => {
    session.edit();
    await of(2, { cancel: true, select: 'a[?' });
    expect(session.textOf(2)).toMatch(/^Invalid parameters: result\.select/);
    expect(session.served[0]?.isCancelled()).toBe(false);
  });

  test('goes on when its server is disabled: the request says why its result cannot be read', async () => {
    session.edit({ disabled: true });
    await of(2);
    expect(session.textOf(2)).toMatch(/it is disabled in the configuration/);
    expect(session.served[0]?.isCancelled()).toBe(false);
    await of(3, { cancel: true });
    expect(session.textOf(3)).toBe(cancelled);
    expect(session.served[0]?.isCancelled()).toBe(true);
  });
});

test('an `of` whose tool is not judged by its limit is answered by then', async () => {
  const short = await ticketSession({ answerWithinMs: 10_000 });
  short.use(1);
  await turns();
  await pass(10);
  short.edit(byListing);
  short.use(2, { result: { of: 'r1' } });
  await turns();
  await pass(10);
  expect(short.textOf(2)).toMatch(/^Still running after 20 s\. It goes on\./);
  short.use(3, { result: { of: 'r1', cancel: true } });
  await turns();
  await pass(46);
  expect(short.served[0]?.isCancelled()).toBe(true);
  await short.leave();
});
