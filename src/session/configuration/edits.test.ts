import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { recordOwnEdit } from '../../config/edits/own-edits.js';
import { findConfiguration } from '../../config/read/configuration.js';
import { keepLastGood } from '../../config/read/last-good.js';
import { standInFor } from '../../config/read/stand-in.js';
import { messageOf } from '../../contract/errors.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import type { Computer } from '../../platform/computer.js';
import { silentLog } from '../../platform/log.js';
import { judgeOf } from '../../workbench/rules/verdict.js';
import { createEdits } from './edits.js';
import { createLiveConfiguration } from './live-configuration.js';

const textWith = (servers: object, others: object = {}) =>
  JSON.stringify({ ...others, toolboxes: { dev: { mcpServers: servers } } }, undefined, 2);
const api = (rules: object = {}) => ({ api: { command: 'api-server', ...rules } });
/** The last brace is missing. */
const faulty = (text: string) => text.slice(0, -1);

/** A session over a file. `kept`: the last text of the file that loaded, if it starts with a faulty one. */
async function session(first: string, { kept, canAsk = false }: { kept?: string; canAsk?: boolean } = {}) {
  const home = temporaryDirectory();
  const computer: Computer = { env: {}, platform: process.platform, home, cwd: home };
  const file = join(home, 'mine.json');
  const find = () => findConfiguration(file, computer, silentLog);
  writeFileSync(file, first);
  if (kept !== undefined) keepLastGood(computer, file, kept);
  const live = createLiveConfiguration(
    await find().catch((error: unknown) => standInFor(messageOf(error), file, computer, silentLog)),
  );
  const questions: RpcMessage[] = [];
  const caller = { revision: '2025-11-25', capabilities: canAsk ? { elicitation: {} } : {} };
  live.session = { caller: () => caller, send: (message) => void questions.push(message) };
  const edits = createEdits(live, computer, silentLog);
  const take = async () => edits.take(await find(), false);
  const write = async (text: string) => {
    writeFileSync(file, text);
    await take();
  };
  const server = async (name = 'api') => (await live.current.load()).toolboxes.get('dev')?.servers.get(name);
  const verdict = async (tool: string, name = 'api') => {
    const found = await server(name);
    return found === undefined || found.disabled ? 'not there' : judgeOf(found)({ name: tool });
  };
  const notice = async () => (await live.current.load()).notice;
  /** Whether the next call is held back by a question, which is answered so. */
  const isAsked = async (answer: string): Promise<boolean> => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} } as const;
    const isHeld = live.gate?.takes(call, caller, () => {}) ?? false;
    const { id } = { id: undefined, ...questions.at(-1) };
    if (isHeld && id !== undefined)
      live.gate?.answered({ jsonrpc: '2.0', id, result: { action: 'accept', content: { answer } } });
    await new Promise((resolve) => setImmediate(resolve));
    return isHeld;
  };
  return { home, computer, file, edits, take, write, server, verdict, notice, isAsked };
}

const waits = '1 change waits: mcp-workbench reload';

test.each([
  ['denies in the text that is served meanwhile', api({ deny: ['drop'] }), api(), 'drop', 'denied'],
  ['denies in the faulty text', api(), api({ deny: ['drop'] }), 'drop', 'denied'],
  ['asks about in the text that is served meanwhile', api({ ask: ['drop'] }), api(), 'drop', 'asks'],
  ['asks about in the faulty text', api(), api({ ask: ['drop'] }), 'drop', 'asks'],
  ['disables in the faulty text', api(), api({ disabled: true }), 'drop', 'not there'],
  ['disables in the text that is served meanwhile', api({ disabled: true }), api(), 'drop', 'not there'],
])('after a start with a faulty file, the fix does not lift what it %s', async (_, kept, first, tool, verdict) => {
  const { write, verdict: verdictOf, notice } = await session(faulty(textWith(first)), { kept: textWith(kept) });
  expect(await verdictOf(tool)).toBe(verdict);
  await write(textWith(api()));
  expect(await verdictOf(tool)).toBe(verdict);
  if (verdict !== 'not there') expect(await notice()).toBe(waits);
});

test.each([
  ['denied', 'under its name', { deny: ['drop'] }, 'api'],
  ['denied', 'under another name', { deny: ['drop'] }, 'renamed'],
  ['asks', 'under another name', { ask: ['drop'] }, 'renamed'],
  ['not there', 'under its name', { disabled: true }, 'api'],
])(
  'a fix does not lift rules of a faulty file if nothing is served meanwhile: %s %s',
  async (verdict, _, rules, name) => {
    const { write, verdict: verdictOf } = await session(faulty(textWith(api(rules))));
    await write(textWith({ [name]: { command: 'api-server' }, other: { command: 'other' } }));
    expect(await verdictOf('drop', name)).toBe(verdict);
    expect(await verdictOf('drop', 'other')).toBe(name === 'api' ? 'free' : verdict);
  },
);

test('rules of a faulty file are not lifted by a fix without the server and a later edit that adds it', async () => {
  const other = { other: { command: 'other' } };
  const { write, verdict } = await session(faulty(textWith(api({ deny: ['drop'] }))));
  await write(textWith(other));
  await write(textWith({ ...other, ...api() }));
  expect(await verdict('drop')).toBe('denied');
});

test.each([true, false])(
  'a fix of the syntax alone applies at once, with new programs (client asks: %s)',
  async (canAsk) => {
    const text = textWith({ ...api({ deny: ['drop'] }), more: { command: 'more' } });
    const { write, verdict, notice, edits, isAsked } = await session(faulty(text), { kept: textWith(api()), canAsk });
    await write(text);
    expect([await verdict('drop'), await verdict('x', 'more')]).toEqual(['denied', 'free']);
    expect([await notice(), edits.note, await isAsked('no')]).toEqual([undefined, undefined, false]);
  },
);

test('a fix that adds a program is asked about if an earlier text is served until then, and not if nothing is', async () => {
  const text = textWith({ ...api(), more: { command: 'more' } });
  const asking = await session(faulty(textWith(api())), { kept: textWith(api()), canAsk: true });
  await asking.write(text);
  expect(await asking.server('more')).toBeUndefined();
  expect(await asking.isAsked('yes')).toBe(true);
  expect(await asking.server('more')).toBeDefined();
  const first = await session(faulty(textWith(api())), { canAsk: true });
  await first.write(text);
  expect(await first.server('more')).toBeDefined();
});

test('a person who agrees to a fix gets it as it is', async () => {
  const { write, verdict, file, computer, edits } = await session(faulty(textWith(api())), {
    kept: textWith(api({ deny: ['drop'] })),
  });
  await write(textWith(api()));
  expect(await verdict('drop')).toBe('denied');
  recordOwnEdit(computer, file, textWith(api()));
  edits.review();
  expect(await verdict('drop')).toBe('free');
});

test('a declined edit is asked about again only if it is another one', async () => {
  const { write, isAsked, verdict } = await session(textWith(api({ deny: ['drop', 'look'] })), { canAsk: true });
  await write(textWith(api({ deny: ['look'] })));
  expect([await isAsked('no'), await isAsked('no')]).toEqual([true, false]);
  await write(textWith(api({ deny: ['look'], callTimeoutMs: 5_000 })));
  expect(await isAsked('no')).toBe(false);
  await write(textWith(api({ deny: ['drop', 'look'] })));
  await write(textWith(api({ deny: ['look'] })));
  expect(await isAsked('no')).toBe(false);
  await write(textWith(api({ deny: ['drop'] })));
  expect(await isAsked('yes')).toBe(true);
  expect([await verdict('drop'), await verdict('look')]).toEqual(['denied', 'free']);
});

test('after two different edits were declined, no question is asked any more', async () => {
  const { write, isAsked } = await session(textWith(api({ deny: ['a', 'b', 'c'] })), { canAsk: true });
  const asked: boolean[] = [];
  for (const denied of ['a', 'b', 'c']) {
    await write(textWith(api({ deny: [denied] })));
    asked.push(await isAsked('no'));
  }
  expect(asked).toEqual([true, true, false]);
});

test('a command that writes secrets does not agree to what was written to the configuration before it', async () => {
  const text = textWith(api({ deny: ['drop'], envFile: 'secrets.env' }));
  const { write, take, verdict, home, computer } = await session(text);
  const secrets = join(home, 'secrets.env');
  const command = (content: string, earlier: string) => {
    recordOwnEdit(computer, secrets, content, earlier);
    writeFileSync(secrets, content);
  };
  writeFileSync(secrets, '');
  await take();
  await write(textWith(api({ envFile: 'secrets.env' })));
  command('TOKEN=hidden-1234\n', '');
  await take();
  expect(await verdict('drop')).toBe('denied');
});

test('a command that writes secrets does not agree to what was written to their file before it', async () => {
  const text = textWith(api({ envFile: 'secrets.env' }));
  const { take, server, home, computer, isAsked } = await session(text, { canAsk: true });
  const secrets = join(home, 'secrets.env');
  const command = (content: string, earlier: string) => {
    recordOwnEdit(computer, secrets, content, earlier);
    writeFileSync(secrets, content);
  };
  const names = async () => {
    const target = (await server())?.target;
    return target?.kind === 'stdio' ? [...target.env.keys()] : [];
  };
  writeFileSync(secrets, '');
  await take();
  await isAsked('yes');
  command('TOKEN=hidden-1234\n', '');
  await take();
  expect(await names()).toEqual(['TOKEN']);
  // The session has not seen what stands before the second variable.
  const evil = 'TOKEN=hidden-1234\nNODE_OPTIONS=--require=/x.js\n';
  command(`${evil}OTHER=hidden-5678\n`, evil);
  await take();
  expect(await names()).toEqual(['TOKEN']);
  expect(await isAsked('no')).toBe(true);
});
