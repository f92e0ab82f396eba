/**
 * node browser.mjs FILE
 *
 * What `xdg-open` starts in tests with a real browser: Debian's Chromium, without a window. It opens the file, which leads to a login, clicks on Allow or Deny as
 * BROWSER_DECISION says, and adds a JSON line to BROWSER_LOG: the last page as it was sent and shown, what was loaded, and what the browser complained about.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const { BROWSER_DECISION: decision, BROWSER_LOG: file } = process.env;
const profile = mkdtempSync(join(tmpdir(), 'mcp-workbench-browser-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  headless: true,
  timeout: 60_000,
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
});
try {
  const page = context.pages()[0] ?? (await context.newPage());
  const requests = [];
  const complaints = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(pathToFileURL(process.argv[2]).href);
  await page.waitForURL(/\/authorize\?/);
  const consent = await page.locator('body').innerText();
  const last = page.waitForResponse(/\/callback\?/);
  await page.getByRole('button', { name: decision === 'allow' ? 'Allow' : 'Deny', exact: true }).click();
  const response = await last;
  await page.waitForLoadState('load');
  const shown = {
    consent,
    status: response.status(),
    headers: await response.allHeaders(),
    title: await page.title(),
    text: await page.locator('body').innerText(),
    font: await page.locator('body').evaluate((body) => getComputedStyle(body).fontFamily),
  };
  appendFileSync(file, `${JSON.stringify({ ...shown, requests, complaints })}\n`);
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
