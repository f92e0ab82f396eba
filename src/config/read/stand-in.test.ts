import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { messageOf } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { silentLog } from '../../platform/log.js';
import { digestOf, realPathOf, writeTrust } from '../trust/trust-store.js';
import { findConfiguration } from './configuration.js';
import { keepLastGood } from './last-good.js';
import { standInFor } from './stand-in.js';

const textWith = (entry: object) =>
  JSON.stringify({ toolboxes: { dev: { description: 'D', mcpServers: { api: { command: 'x', ...entry } } } } });

function setUp(faulty: string | Buffer, name = 'config.json') {
  const home = temporaryDirectory();
  const computer: Computer = { env: {}, platform: process.platform, home, cwd: home };
  const file = join(home, name);
  writeFileSync(file, faulty);
  return { computer, file, home };
}

/** What a session serves if its start fails with a fault. */
async function served(named: string | undefined, computer: Computer) {
  const fault = await findConfiguration(named, computer, silentLog).catch(messageOf);
  if (typeof fault !== 'string') throw new Error('the file has no fault');
  return { fault, found: await standInFor(fault, named, computer, silentLog) };
}

test('the last text that loaded stands in for a faulty one, with its rules, and the fault and the date are said', async () => {
  const { computer, file } = setUp(`${textWith({ deny: ['delete'] })}\n,`);
  keepLastGood(computer, file, `// mine\n${textWith({ args: ['a'] })}`);
  const { found } = await served(file, computer);
  const { toolboxes, notice } = await found.load();
  const api = toolboxes.get('dev')?.servers.get('api');
  expect(api?.target).toMatchObject({ kind: 'stdio', args: ['a'] });
  expect(api?.rules).toMatchObject([{ deny: ['delete'] }]);
  const said =
    /config\.json:2:1 .*\. Until it is fixed, its last text that loaded is used, of \d{4}-\d\d-\d\d \d\d:\d\d\.$/;
  expect(notice).toMatch(said);
  expect(found.overview.notice).toMatch(said);
  expect(found.source).toEqual({ path: file, text: textWith({ args: ['a'], deny: ['delete'] }), notice });
});

test('a text that loaded stands in as it was written if the faulty one is not stricter', async () => {
  const { computer, file } = setUp('{');
  const text = `// mine\n${textWith({ deny: ['delete'] })}`;
  keepLastGood(computer, file, text);
  expect((await served(file, computer)).found.source?.text).toBe(text);
});

test('a long list of faults is cut for the agent, but not the text that is in use', async () => {
  const servers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`server-${index}`, {}]));
  const { computer, file } = setUp(JSON.stringify({ toolboxes: { dev: { description: 'D', mcpServers: servers } } }));
  keepLastGood(computer, file, textWith({}));
  const { found, fault } = await served(file, computer);
  expect(fault.length).toBeGreaterThan(5_000);
  expect(found.overview.notice?.length).toBeLessThan(800);
  expect(found.overview.notice).toMatch(/:1:\d+ .*… Until it is fixed/);
});

test('another fault renews what is said, and nothing else', async () => {
  const { computer, file } = setUp('{');
  keepLastGood(computer, file, textWith({}));
  const { found } = await served(file, computer);
  const renewed = found.fault?.renew('Another fault.');
  expect(renewed?.overview.notice).toMatch(/^Another fault\. Until it is fixed, its last text /);
  expect(renewed?.source).toMatchObject({ text: found.source?.text, notice: renewed?.overview.notice });
  expect((await renewed?.load())?.toolboxes).toBe((await found.load()).toolboxes);
});

test.each([
  ['none is kept', undefined],
  ['the one that is kept cannot be read any more', '{"toolboxes":7}'],
])('nothing stands in for a faulty text if %s, and the fault is said', async (_, kept) => {
  const { computer, file } = setUp('{\n,');
  if (kept !== undefined) keepLastGood(computer, file, kept);
  const { found } = await served(file, computer);
  expect(found.overview).toMatchObject({ configFile: file, toolboxes: [] });
  expect(found.overview.fault).toMatch(/config\.json:2:1 .* Until it is fixed, there are no servers/);
  expect(found.fault?.renew('Another fault.').overview.fault).toMatch(/^Another fault\. /);
  await expect(found.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a file that is no text at all has an earlier one, too', async () => {
  const { computer, file } = setUp(Buffer.from([0xff, 0xfe, 0]));
  keepLastGood(computer, file, textWith({}));
  const { found } = await served(file, computer);
  expect(found.overview.notice).toMatch(/it is not UTF-8 text.* Until it is fixed, its last text /);
});

test('no earlier text stands in for a file of the working directory: only the faulty one is trusted', async () => {
  const { computer, file, home } = setUp('{', 'workbench-config.json');
  const path = realPathOf(file);
  const at = new Date().toISOString();
  writeTrust(computer, { files: [{ path, sha256: digestOf(path, Buffer.from('{')), at }], directories: [] });
  keepLastGood(computer, join(home, 'workbench-config.json'), textWith({}));
  const { found } = await served(undefined, computer);
  expect(found.overview.toolboxes).toEqual([]);
  // Named, it needs no trust.
  expect((await served(file, computer)).found.overview.toolboxes).toHaveLength(1);
});
