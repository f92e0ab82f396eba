import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createHome } from '../support/homes.js';
import { temporaryDirectory } from '../support/launch.js';
import { startPage } from '../support/page.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { launchChromium } from './chromium.mjs';

test('a real browser is led to the page, with its key, by the file that `xdg-open` gets', async () => {
  const chromium = await launchChromium();
  onTestFinished(() => chromium.close());
  const bin = temporaryDirectory();
  const [program, noted] = [join(bin, 'xdg-open'), join(bin, 'noted')];
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > ${noted}.new && mv ${noted}.new ${noted}\n`);
  chmodSync(program, 0o755);
  const home = createHome({ toolboxes: { dev: { description: 'For tests', mcpServers: { files: fixture() } } } });
  const running = await startPage({ ...home.env, DISPLAY: ':9', PATH: `${bin}:${process.env['PATH']}` }, []);
  const path = await until(() => existsSync(noted) && readFileSync(noted, 'utf8'), { what: 'the path' });
  const { page, complaints } = await chromium.open(pathToFileURL(path).href);
  await page.locator('tr.server').filter({ hasText: 'files' }).first().waitFor();
  expect(page.url()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${running.port}/`));
  expect(page.url()).not.toContain(running.token);
  expect(existsSync(path)).toBe(false);
  expect(complaints).toEqual([]);
});
