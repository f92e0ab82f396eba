import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Debian's Chromium, without a window. */
export async function launchChromium() {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    timeout: 60_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  });
  return {
    close: () => browser.close(),
    async open(
      address,
      {
        width = 1280,
        height = 860,
        scheme = 'light',
        motion = 'no-preference',
        isChecked = false,
        isTrusting = false,
        timeZone,
      } = {},
    ) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: motion,
        timezoneId: timeZone,
        ignoreHTTPSErrors: isTrusting,
        // For axe alone, which writes markup.
        bypassCSP: isChecked,
      });
      const page = await context.newPage();
      const requests = [];
      const complaints = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('dialog', (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(address);
      return { page, requests, complaints, close: () => context.close() };
    },
  };
}

/** What axe-core finds wrong for those who do not see the page, or use no mouse. */
export async function axeFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`,
  );
}
