import { pause } from '../rig/wait.mjs';
import { servers } from './servers.mjs';

const answerLimitMs = 30_000;
const toolboxes = [...new Set(servers.map(({ toolbox }) => toolbox))];
const named = (name) => servers.filter(({ server }) => server === name);
/** Servers with a short timeout or a small limit get only the calls that test it. */
const ordinary = servers.filter(({ server }) => server !== 'hasty' && server !== 'narrow');

/** The kinds of calls: weight, tool, arguments and the expected answer. */
const kinds = [
  { name: 'echo', weight: 40, on: servers, tool: 'echo', args: () => ({ text: 'hello' }), expect: contains('hello') },
  { name: 'small', weight: 15, on: servers, ...blobOf(10, 5_000) },
  { name: 'medium', weight: 8, on: ordinary, ...blobOf(50_000, 500_000) },
  { name: 'large', weight: 2, on: ordinary, ...blobOf(1_000_000, 4_000_000) },
  {
    name: 'too large',
    weight: 1,
    on: named('narrow'),
    ...blobOf(1_100_000, 2_000_000),
    expect: fails('maxResultBytes'),
  },
  { name: 'progress', weight: 6, on: ordinary, ...steps(), expect: contains('5 steps') },
  { name: 'cancelled', weight: 6, on: ordinary, tool: 'sleep', args: () => ({ ms: 10_000 }), cancelled: true },
  {
    name: 'timed out',
    weight: 1,
    on: named('hasty'),
    tool: 'sleep',
    args: () => ({ ms: 10_000 }),
    expect: fails('no answer within'),
  },
  {
    name: 'slow',
    weight: 6,
    on: ordinary,
    tool: 'sleep',
    args: ({ between }) => ({ ms: between(20, 800) }),
    expect: contains('slept'),
  },
  { name: 'error result', weight: 4, on: servers, tool: 'fail', args: () => ({}), expect: failsAsToldTo },
  {
    name: 'protocol error',
    weight: 3,
    on: servers,
    tool: 'refuse',
    args: () => ({}),
    expect: failsAsToldTo,
  },
  { name: 'open', weight: 4, opens: true },
];
const lots = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

function contains(part) {
  return ({ text, isError }, { id }) => !isError && text.startsWith(`${id} `) && text.includes(part);
}

function fails(part) {
  return ({ text, isError }) => isError && text.includes(part);
}

function failsAsToldTo({ text, isError }, { id }) {
  return isError && new RegExp(`\\b${id} (failed|refused) on purpose`).test(text);
}

function blobOf(least, most) {
  return {
    tool: 'blob',
    args: ({ between }) => ({ bytes: between(least, most) }),
    expect: ({ text, isError }, { id, args }) =>
      !isError && text.length === args.bytes + id.length + 1 && text.startsWith(`${id} x`),
  };
}

function steps() {
  return { tool: 'steps', args: ({ between }) => ({ count: 5, everyMs: between(5, 40) }), progress: 5 };
}

/**
 * Calls of all kinds through one client. Every call gets an id of its own; `record` has one entry for each:
 * { id, kind, toolbox, server, sent, answered, outcome, text }, where outcome is `as expected`, or what happened instead.
 */
export function createTraffic(client, random, record) {
  let calls = 0;

  async function one() {
    const kind = random.pick(lots);
    if (kind.opens) return openToolbox(random.pick(toolboxes));
    const { toolbox, server } = random.pick(kind.on);
    const id = `call-${++calls}`;
    const args = kind.args(random);
    const entry = { id, kind: kind.name, toolbox, server, sent: performance.now() };
    record.push(entry);
    const outcome = kind.cancelled ? await cancelCall(entry, kind, args) : await awaitCall(entry, kind, args);
    Object.assign(entry, outcome, { answered: performance.now() });
  }

  function send({ toolbox, server, id }, { tool, progress }, args) {
    const input = { tool: { toolbox, server, name: tool }, arguments: { ...args, id } };
    const meta = progress === undefined ? {} : { _meta: { progressToken: id } };
    return client.ask('tools/call', { name: 'use_tool', arguments: input, ...meta });
  }

  async function awaitCall(entry, kind, args) {
    let progressed = 0;
    if (kind.progress !== undefined) client.listen(entry.id, () => progressed++);
    const answer = await settle(send(entry, kind, args).answer);
    client.listen(entry.id, undefined);
    const good = kind.expect(answer, { id: entry.id, args }) && progressed === (kind.progress ?? 0);
    if (good) return { outcome: 'as expected' };
    return {
      outcome: 'failed',
      text: `${answer.text.slice(0, 300)}${kind.progress ? ` (${progressed} progress)` : ''}`,
    };
  }

  /** The agent cancels. No response is due; the log of the server shows whether the cancellation arrived. */
  async function cancelCall(entry, kind, args) {
    const { id: requestId, answer } = send(entry, kind, args);
    let answered;
    answer.then(
      (result) => {
        answered = result;
      },
      () => {},
    );
    await pause(random.between(1, 200));
    client.notify('notifications/cancelled', { requestId, reason: 'no longer needed' });
    await pause(50);
    if (answered === undefined) return { outcome: 'as expected' };
    return { outcome: 'failed', text: answered.content[0].text.slice(0, 300) };
  }

  async function openToolbox(toolbox) {
    const entry = { id: `open-${++calls}`, kind: 'open', toolbox, sent: performance.now() };
    record.push(entry);
    const { text, isError } = await settle(client.callTool('open_toolbox', { toolbox }));
    const mortal = new Set(
      servers.filter((server) => server.toolbox === toolbox && server.mortal).map(({ server }) => server),
    );
    const opened = isError ? undefined : JSON.parse(text);
    const missing = (opened?.unavailable ?? []).filter(({ server }) => !mortal.has(server));
    const good = opened !== undefined && missing.length === 0 && opened.starting === undefined;
    Object.assign(entry, { answered: performance.now(), outcome: good ? 'as expected' : 'failed' });
    if (!good) entry.text = opened === undefined ? text.slice(0, 300) : JSON.stringify(missing);
  }

  return { one };
}

/** The text of an answer or error; a missing answer becomes a text too. */
async function settle(answer) {
  const limit = new AbortController();
  const late = pause(answerLimitMs, undefined, { signal: limit.signal }).then(() => ({
    text: `hung: no answer within ${answerLimitMs} ms`,
    isError: true,
  }));
  late.catch(() => {});
  try {
    return await Promise.race([
      late,
      answer.then(({ content, isError = false }) => ({ text: content.map(({ text }) => text).join('\n'), isError })),
    ]);
  } catch (error) {
    return { text: `no result: ${error.message}`, isError: true };
  } finally {
    limit.abort();
  }
}
