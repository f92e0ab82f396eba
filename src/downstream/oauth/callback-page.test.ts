import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { callbackPage, type LoginOutcome } from './callback-page.js';

const place = { toolbox: 'dev', server: 'linear' };

test.each<[LoginOutcome, number, RegExp]>([
  [{ kind: 'authorized', ...place }, 200, /MCP Workbench can now use server linear \(toolbox dev\)/],
  [{ kind: 'denied', ...place }, 200, /Access to server linear \(toolbox dev\) was denied\. Nothing was stored\./],
  [{ kind: 'failed', ...place, reason: 'refused' }, 400, /failed: refused\. Nothing was stored\./],
  [{ kind: 'mismatch' }, 400, /does not belong to this request\. Nothing was stored\./],
  [{ kind: 'not-found' }, 404, /Not found/],
])('the page of %j says what happened and that the tab can be closed', (outcome, status, text) => {
  const page = callbackPage(outcome);
  expect(page.status).toBe(status);
  expect(page.body).toMatch(text);
  expect(page.body).toContain('You can close this tab.');
});

test('names and reasons are text, not HTML, and lose hidden characters', () => {
  const evil = '</p><script>alert(1)</script>"\'&\u202E\u001B[31m';
  const { body } = callbackPage({ kind: 'failed', toolbox: evil, server: evil, reason: `${evil}\n${evil}` });
  expect(body).not.toContain('<script');
  expect(body).not.toContain('\u202E');
  expect(body).not.toContain('\u001B');
  expect(body.match(/&#60;script&#62;/g)).toHaveLength(4);
});

test('nothing on the page runs or is loaded, kept or passed on', () => {
  const { headers, body } = callbackPage({ kind: 'authorized', ...place });
  const [, style = ''] = /<style>(.*)<\/style>/.exec(body) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
});
