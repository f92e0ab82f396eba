import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Agent, clientNamed, connectAgent, text } from '../support/agents.js';
import type { ServerEntry } from '../support/configs.js';
import { createHome, type Home, marked } from '../support/homes.js';
import { temporaryDirectory } from '../support/launch.js';
import { type RunningPage, startPage } from '../support/page.js';
import { fixture, fixtureWith, real } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { axeFindings, type BrowserPage, type Chromium, launchChromium, type OpenOptions } from './chromium.mjs';

// The page in a real browser, against real sessions with real servers. Screenshots of the last run are in .cache/screenshots.
const screenshots = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));
const views = ['board', 'tools', 'calls', 'search', 'approvals'] as const;
const html = '<img src=x onerror=alert(1)>';
const long = 'n'.repeat(128);
/** How many pixels of tables can only be seen by moving them. */
const hiddenAside = `Math.max(0, ...Array.from(document.querySelectorAll('.scroll'), (one) => one.scrollWidth - one.clientWidth))`;

let chromium: Chromium;
beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  chromium = await launchChromium();
});
afterAll(() => chromium.close());

interface Scene {
  readonly home: Home;
  readonly page: RunningPage;
  readonly agent: Agent;
}

const owned = (entry: ServerEntry): ServerEntry => ({ ...entry, env: { ...entry.env, ...marked } });

/** A user with two toolboxes and a client that has called some tools. */
async function createScene(more: Readonly<Record<string, ServerEntry>> = {}): Promise<Scene> {
  const files = temporaryDirectory();
  writeFileSync(join(files, 'notes.txt'), 'hello');
  const home = createHome({
    toolboxes: {
      dev: {
        description: 'Code and files',
        mcpServers: { files: owned(real.filesystem(files)), everything: owned(real.everything()), ...more },
      },
      data: {
        description: 'What does not work',
        mcpServers: { broken: owned(fixture('--exit', '3')), unused: owned(fixture()) },
      },
    },
  });
  const page = await startPage(home.env);
  const agent = await connectAgent('v2 modern', { env: home.env }, clientNamed('claude-code'));
  await agent.use('dev', 'files', 'read_text_file', { path: join(files, 'notes.txt') });
  await agent.use('dev', 'files', 'read_text_file', { path: join(files, 'missing.txt') });
  await agent.use('data', 'broken', 'x');
  return { home, page, agent };
}

/** As if other texts had been approved. */
async function changeApproved({ config }: Home, change: (lock: string) => string): Promise<void> {
  const lock = config.replace(/json$/, 'lock.json');
  await until(() => change(readOr(lock)) !== readOr(lock), { what: 'the lock with these tools' });
  writeFileSync(lock, change(readOr(lock)).replaceAll(/"sha256": "\w+"/g, '"sha256": "another"'));
}

function readOr(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function openPage({ page: { address } }: Scene, options?: OpenOptions) {
  const opened = await chromium.open(address, options);
  onTestFinished(() => opened.close());
  await rowOf(opened.page, 'files').waitFor();
  return opened;
}

const rowOf = (page: BrowserPage, server: string) => page.locator('tr.server').filter({ hasText: server }).first();
const stateIn = async (page: BrowserPage, server: string) => rowOf(page, server).locator('.state').innerText();
const show = (page: BrowserPage, view: string) => page.evaluate(`location.hash = '${view}'`);
const focused = (page: BrowserPage) => page.evaluate('document.activeElement.textContent.trim()');

/** Presses a key until something with this text has the focus. */
async function tabTo(page: BrowserPage, wanted: string | RegExp, most = 60): Promise<void> {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    const found = String(await focused(page));
    if (typeof wanted === 'string' ? found === wanted : wanted.test(found)) return;
  }
  throw new Error(`no element ${String(wanted)} after ${most} presses of Tab`);
}

test('starts, calls, failures, a crash and sleep appear, and lanes say so in words', async () => {
  const scene = await createScene({
    crashing: owned(fixture('--crash-after', 2)),
    sleepy: { ...owned(fixture()), idleTimeoutMs: 500 },
  });
  const { page, complaints, requests } = await openPage(scene);
  await until(async () => (await stateIn(page, 'files')).startsWith('ready'), { what: 'a server that is ready' });
  await until(async () => /^ready · \d+ MB$/.test(await stateIn(page, 'files')), { what: 'its memory' });
  expect(await stateIn(page, 'unused')).toBe('not measured yet');
  expect(await rowOf(page, 'broken').locator('.half-hour').innerText()).toMatch(
    /exited with code 3[^]*mcp-workbench doctor data broken/,
  );
  expect(await rowOf(page, 'files').locator('svg.lane').getAttribute('aria-label')).toMatch(
    /^Awake for \d+ s in 1 span in the last 30 minutes; 2 calls, 1 failed$/,
  );
  await scene.agent.use('dev', 'crashing', 'echo', { text: 'x' });
  await until(async () => (await stateIn(page, 'crashing')).startsWith('ready'), { what: 'the start' });
  await scene.agent.use('dev', 'crashing', 'echo', { text: 'x' });
  await until(async () => (await stateIn(page, 'crashing')) === 'failing', { what: 'the crash' });
  await until(async () => (await page.locator('.calls tbody tr').first().innerText()).includes('exited with code 1'));
  await scene.agent.use('dev', 'sleepy', 'echo', { text: 'x' });
  await until(async () => (await stateIn(page, 'sleepy')) === 'asleep', { what: 'sleep' });
  expect(await page.locator('.connection').innerText()).toBe('live · 1 session: Claude Code');
  expect(complaints).toEqual([]);
  expect(requests.filter((address) => !address.startsWith(`http://127.0.0.1:${scene.page.port}/`))).toEqual([]);
  expect(requests.filter((address) => address.includes(scene.page.token))).toEqual([]);
  expect(page.url()).not.toContain(scene.page.token);
});

test('a call is shown within a second', async () => {
  const scene = await createScene();
  const { page } = await openPage(scene);
  const times: number[] = [];
  for (const tool of [
    'list_allowed_directories',
    'list_directory',
    'get_file_info',
    'directory_tree',
    'search_files',
  ]) {
    await scene.agent.use('dev', 'files', tool, { path: '/nowhere', pattern: 'x' });
    const elapsed = startStopwatch();
    await until(async () => (await page.locator('.calls tbody tr').first().innerText()).includes(tool));
    times.push(elapsed());
  }
  // On a busy machine any of them may have waited for a processor.
  expect(Math.min(...times)).toBeLessThan(1_000);
});

test('a session that is killed while it is shown is gone, and one that begins is there', async () => {
  const scene = await createScene();
  const { page } = await openPage(scene);
  await until(async () => (await page.locator('.connection').innerText()).includes('1 session'));
  // They are written to the cache a moment after the start.
  await until(async () => /\d/.test(await rowOf(page, 'files').locator('td').nth(1).innerText()), {
    what: 'its tools',
  });
  process.kill(scene.agent.pid, 'SIGKILL');
  await until(async () => (await page.locator('.connection').innerText()) === 'live · no session', {
    what: 'no session',
  });
  await until(async () => (await stateIn(page, 'files')) === 'asleep', { what: 'sleep' });
  // What it did stays.
  expect(await rowOf(page, 'files').locator('svg.lane').getAttribute('aria-label')).toContain('2 calls, 1 failed');
  const other = await connectAgent('v1', { env: scene.home.env }, clientNamed('other'));
  await other.use('dev', 'files', 'list_allowed_directories');
  await until(async () => (await page.locator('.connection').innerText()) === 'live · 1 session: other', {
    what: 'the other session',
  });
});

test('everything can be done with the keyboard alone', async () => {
  const scene = await createScene();
  const { page, complaints } = await openPage(scene);
  await tabTo(page, 'Skip to the content', 1);
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await tabTo(page, 'files');
  await page.keyboard.press('Enter');
  await until(async () => (await page.getByRole('region', { name: 'The last lines' }).innerText()).includes('started'));
  expect(await page.locator('tr.details li .name').allInnerTexts()).toContain('read_text_file');
  expect(await page.locator('tr.details').innerText()).toMatch(/tool error\s+ENOENT: no such file or directory/);
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('tr.details').count()) === 0);
  await tabTo(page, /^mcp-workbench doctor data broken/);
  await tabTo(page, /^tool error/);
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('.calls .reason').innerText()).startsWith('ENOENT: no such file'));
  await tabTo(page, 'Log of files', 1);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'The last lines' }).waitFor();

  await page.evaluate('document.activeElement.blur()');
  await page.reload();
  await tabTo(page, 'Tools');
  await page.keyboard.press('Enter');
  await page.getByRole('columnheader', { name: 'Last used' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await tabTo(page, /^$/, 3);
  await page.keyboard.type('list_dir');
  await until(async () => (await page.locator('table.tools tbody tr').count()) === 2);
  await tabTo(page, /^Tool$/);
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('th[aria-sort=ascending]').innerText()).startsWith('Tool'));

  await page.getByRole('link', { name: 'Calls' }).focus();
  await page.keyboard.press('Enter');
  await tabTo(page, 'Pause');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Export', 2);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).tool)).toEqual(['read_text_file', 'read_text_file', 'x']);
  const before = await page.locator('table.calls tbody tr').count();
  await scene.agent.use('dev', 'files', 'list_allowed_directories');
  await page.getByRole('button', { name: 'Go on (1 new)' }).focus();
  expect(await page.locator('table.calls tbody tr').count()).toBe(before);
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('table.calls tbody tr').count()) === before + 1);

  await page.getByRole('link', { name: 'Search' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Search' }).waitFor();
  await tabTo(page, /^$/, 3);
  await page.keyboard.type('read a file');
  await page.keyboard.press('Enter');
  const hit = page.locator('table.hits tbody tr').filter({ hasText: 'read_file' }).first();
  await until(async () => /name:\s+read, file/.test(await hit.innerText()), { what: 'why it was found' });
  expect(await hit.locator('.tokens').innerText()).toMatch(/^\d+$/);
  await page.getByLabel('As the agent reads it').focus();
  await page.keyboard.press('Space');
  const answer = page.getByRole('region', { name: 'The answer' });
  await answer.waitFor();
  const read = text(await scene.agent.call('open_toolbox', { toolbox: '*', query: 'read a file' }));
  // Another session has other connections.
  const withoutCount = (given: string | null) => given?.replace(/"servers_connected":\d+/, '');
  expect(withoutCount(await answer.textContent())).toBe(withoutCount(read));
  expect(complaints).toEqual([]);
});

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  test('axe finds nothing in any view', async () => {
    const scene = await createScene();
    await changeApproved(scene.home, (lock) => lock.replace('"description": "Read the', '"description": "Look at the'));
    const { page } = await openPage(scene, { scheme, isChecked: true });
    for (const view of views) {
      await show(page, view);
      await page.getByRole('heading', { name: view === 'board' ? 'Toolboxes' : new RegExp(view, 'i') }).waitFor();
      if (view === 'board') await page.getByRole('button', { name: 'files', exact: true }).click();
      if (view === 'calls') await page.locator('.opens').first().click();
      if (view === 'search') await page.getByLabel('Query').fill('file');
      if (view === 'search') await page.getByRole('region', { name: 'Tools found' }).waitFor();
      if (view === 'approvals') await page.locator('.difference').first().waitFor();
      expect(await axeFindings(page), view).toEqual([]);
      await page.screenshot({ path: join(screenshots, `${view}-${scheme}.png`) });
      // Laid out in another way.
      await page.setViewportSize({ width: 360, height: 760 });
      expect(await axeFindings(page), `${view}, narrow`).toEqual([]);
      await page.screenshot({ path: join(screenshots, `${view}-${scheme}-narrow.png`) });
      await page.setViewportSize({ width: 1280, height: 860 });
    }
  });
});

test('names that look like markup, and long ones, are shown as text, on every width', async () => {
  const tools = [html, long, '"><script>alert(1)</script>'].map((name) => ({
    name,
    description: `${html} ${long}`,
    inputSchema: { type: 'object' },
  }));
  const scene = await createScene({ hostile: owned(fixtureWith(tools)), [html]: owned(fixture()) });
  for (const name of [html, long]) await scene.agent.use('dev', 'hostile', name);
  await scene.agent.use('dev', html, 'rpc_error', { code: -32_000, message: `${html} ${long}` });
  await changeApproved(scene.home, (lock) => lock.replaceAll('"description": "<img', '"description": "<b>was</b><img'));
  for (const width of [360, 768, 1100, 1280, 3840]) {
    const { page, complaints } = await openPage(scene, { width, height: Math.round(width / 2) + 300 });
    await until(async () => (await page.locator('.calls tbody tr').count()) >= 5, { what: 'the calls' });
    for (const view of views) {
      await show(page, view);
      if (view === 'board') await page.getByRole('button', { name: 'hostile', exact: true }).click();
      if (view === 'board') await until(async () => (await page.locator('tr.details').innerText()).includes(html));
      if (view === 'tools') await until(async () => (await page.locator('table.tools').innerText()).includes(html));
      if (view === 'calls') await until(async () => (await page.locator('table.calls').innerText()).includes(long));
      if (view === 'search') await page.getByLabel('Query').fill('img');
      if (view === 'search') await until(async () => (await page.locator('.hits').innerText()).includes(html));
      if (view === 'calls') await page.locator('.opens').first().click();
      if (view === 'calls') await until(async () => (await page.locator('.reason').innerText()).includes(html));
      if (view === 'approvals')
        await until(async () => (await page.locator('.approval').innerText()).includes('<b>was'));
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0);
      expect(await page.evaluate(hiddenAside), `${view}, tables`).toBeLessThanOrEqual(0);
      await page.screenshot({ path: join(screenshots, `hostile-${view}-${width}.png`) });
    }
    expect(await page.locator('img, b, body script').count()).toBe(0);
    expect(complaints).toEqual([]);
  }
});

test('lanes begin with five minutes, bars stand below each other, and the legend keeps each name with its colour', async () => {
  const tools = [8, 400, 4_000].map((chars, index) => ({
    name: `tool_${index}`,
    description: 'word '.repeat(chars / 4),
    inputSchema: { type: 'object' },
  }));
  const scene = await createScene({ uneven: owned(fixtureWith(tools)) });
  await scene.agent.use('dev', 'uneven', 'tool_0');
  const { page } = await openPage(scene, { width: 390 });
  // Narrow boards have no scale.
  expect(await page.locator('.scale').textContent()).toMatch(/5 min ago\s*4\s*3\s*2\s*1\s*now/);
  await page.getByRole('button', { name: 'uneven', exact: true }).click();
  await until(async () => (await page.locator('tr.details .share').count()) === 3);
  const distinct = (selector: string, side: string) =>
    page.evaluate(
      `new Set(Array.from(document.querySelectorAll('${selector}'), (one) => one.getBoundingClientRect().${side})).size`,
    );
  expect(await distinct('tr.details .share', 'left')).toBe(1);
  expect(await distinct('.legend li', 'top')).toBe(1);
  await show(page, 'tools');
  await until(async () => (await page.locator('table.tools .share').count()) > 3);
  expect(await distinct('table.tools .share', 'left')).toBe(1);
});

test('the log opens at its newest line and follows it, unless somebody reads further up; its times are local', async () => {
  const scene = await createScene({ noisy: owned(fixture()) });
  const write = (line: string) => scene.agent.use('dev', 'noisy', 'write_stderr', { text: line });
  await write(Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join(''));
  const { page } = await openPage(scene, { timeZone: 'Asia/Kathmandu' });
  await page.getByRole('button', { name: 'noisy', exact: true }).click();
  const log = page.getByRole('region', { name: 'The last lines' });
  await until(async () => (await log.innerText()).includes('line 49'));
  const below = `(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight))(document.querySelector('.log'))`;
  expect(await page.evaluate(below)).toBe(0);
  await write('one more\n');
  await until(async () => (await log.innerText()).includes('one more'));
  expect(await page.evaluate(below)).toBe(0);
  await page.evaluate(`document.querySelector('.log').scrollTop = 10`);
  await write('and more\n');
  await until(async () => (await log.innerText()).includes('and more'));
  expect(await page.evaluate(`document.querySelector('.log').scrollTop`)).toBe(10);
  // Five hours and three quarters from UTC: the minutes differ as well.
  const at = new Date(Date.now() + 345 * 60_000).toISOString().slice(11, 14);
  const earlier = new Date(Date.now() + 344 * 60_000).toISOString().slice(11, 14);
  const last = (await log.innerText()).split('\n').at(-1) ?? '';
  expect([at, earlier]).toContain(last.slice(0, 3));
  expect(last).toMatch(/^\d\d:\d\d:\d\d \| and more$/);
});

test('what was approved differently is on the row of its server, and in a view with the command', async () => {
  const scene = await createScene();
  await changeApproved(scene.home, (lock) => lock.replace('"description": "Read the', '"description": "Look at the'));
  const { page } = await openPage(scene);
  const tag = rowOf(page, 'files').locator('a.tag');
  await until(async () => (await tag.innerText()).endsWith('changed'), { what: 'the mark' });
  await tag.click();
  const difference = page.locator('.difference').filter({ hasText: 'Look at the' }).first();
  await until(async () => (await difference.locator('.removed').first().innerText()).includes('Look at the'));
  expect(await difference.locator('.added').first().innerText()).toContain('description: Read the');
  expect(await page.locator('.approval .command').innerText()).toBe('mcp-workbench approve dev files');
  expect(await page.locator('.approval button:not(.command)').count()).toBe(0);
  expect((await scene.home.run('approve', 'dev', 'files', '--yes')).code).toBe(0);
  await until(async () => (await page.locator('main').innerText()).includes('as they were approved'), {
    what: 'the approval',
  });
});

test('focus, what is typed and the place in a list stay while calls come', async () => {
  const scene = await createScene();
  for (let more = 0; more < 60; more++) await scene.agent.use('dev', 'files', 'list_allowed_directories');
  const { page } = await openPage(scene, { height: 500 });
  await show(page, 'calls');
  await until(async () => (await page.locator('table.calls tbody tr').count()) === 63);
  await page.getByLabel('Filter').focus();
  await page.keyboard.type('files');
  // A key brings the field into view.
  await page.keyboard.press('ArrowLeft');
  await page.evaluate(
    `row = document.querySelectorAll('table.calls tbody tr')[30]; row.scrollIntoView({ block: 'center' })`,
  );
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const place = await page.evaluate('Math.round(row.getBoundingClientRect().top)');
  for (let more = 0; more < 10; more++) await scene.agent.use('dev', 'files', 'list_allowed_directories');
  await until(async () => (await page.locator('table.calls tbody tr').count()) === 72, { what: 'the new calls' });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await page.evaluate('Math.round(row.getBoundingClientRect().top)')).toBe(place);
  expect(await page.evaluate('[document.activeElement.value, document.activeElement.selectionStart]')).toEqual([
    'files',
    4,
  ]);
});

test('nothing moves for those who do not want it', async () => {
  const scene = await createScene({ slow: owned(fixture('--never-answer')) });
  void scene.agent.use('dev', 'slow', 'echo').catch(() => {});
  for (const [motion, animation] of [
    ['reduce', 'none'],
    ['no-preference', 'breathe'],
  ] as const) {
    const { page } = await openPage(scene, { motion });
    await until(async () => (await stateIn(page, 'slow')).startsWith('starting'));
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.mark.starting')).animationName`)).toBe(
      animation,
    );
  }
});

test('the page connects again by itself after the program was stopped, and says so when it has ended', async () => {
  const scene = await createScene();
  const { page } = await openPage(scene);
  const connection = () => page.locator('.connection').innerText();
  await until(async () => (await connection()).startsWith('live'));
  scene.page.kill('SIGSTOP');
  try {
    await until(async () => (await connection()).startsWith('not connected'), { what: 'a lost connection' });
  } finally {
    scene.page.kill('SIGCONT');
  }
  await until(async () => (await connection()).startsWith('live'), { what: 'another connection' });
  await scene.agent.use('dev', 'files', 'list_allowed_directories');
  await until(async () => (await page.locator('.calls tbody tr').first().innerText()).includes('list_allowed'));
  // The key stays with the tab.
  await page.reload();
  await rowOf(page, 'files').waitFor();
  scene.page.kill('SIGINT');
  await until(async () => (await connection()).startsWith('not connected'));
  const other = await startPage(scene.home.env, ['--no-browser', '--port', String(scene.page.port)]);
  await until(async () => (await page.locator('h2').first().innerText()) === 'The key is no longer valid');
  await page.goto(other.address.replace(/#.*/, '#board'));
  const fresh = await chromium.open(other.address.replace(/#.*/, ''));
  await until(async () => (await fresh.page.locator('h2').first().innerText()) === 'The key is missing');
  await fresh.close();
});
