import { expect, test } from 'vitest';
import { type Canary, canariesFor, createWatch } from '../../../test/support/canaries.js';
import type { RemoteTarget, ServerConfig } from '../../config/config.js';
import { parseConfig } from '../../config/read/parse.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

function serverWith(entry: object, env: Record<string, string> = {}): ServerConfig {
  const text = JSON.stringify({ toolboxes: { dev: { description: 'd', mcpServers: { api: entry } } } });
  const { toolboxes } = parseConfig(text, { path: '/c.json', env, cwd: '/project', home: '/' });
  return toolboxes.get('dev')?.servers.get('api') as ServerConfig;
}

function remoteWith(entry: object, env: Record<string, string> = {}): { target: RemoteTarget; mask: Mask } {
  const { target, secrets } = serverWith(entry, env);
  if (target.kind !== 'remote') throw new Error(`not remote: ${JSON.stringify(target)}`);
  return { target, mask: createMask(secretValues({ target, secrets })) };
}

/** What errors of HTTP clients and servers contain of a target. */
function textsAbout({ url, headers }: RemoteTarget, mask: Mask): string {
  const { href, pathname, search, host } = new URL(url);
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const values = [...headers.values()].flatMap((value) => [value, value.replace(/^\w+ /, '')]);
  const said = [href, pathname, search, host, ...pathname.split('/'), ...new URL(url).searchParams.values(), ...values];
  const texts = said.flatMap((text) => [text, decoded(text), JSON.stringify(text), encodeURIComponent(text)]);
  return texts.flatMap((text) => [mask.text(`failed: ${text}`), mask.prose(`failed: ${text}`)]).join('\n');
}

// A header has one line; a URL loses line breaks and tabs, and \ in it becomes /.
const inHeaders = (place: string) => canariesFor(place).filter(({ value }) => /^[\x20-\x7e\xe4\xf6]*$/.test(value));
const inUrls = (place: string) => canariesFor(place).filter(({ value }) => !/[\r\n\t]/.test(value));
// A user of six characters is not masked, and neither is a path.
const inUsers = (place: string) => inUrls(place).filter(({ value }) => value.length > 6 && !value.startsWith('/'));

const variablesOf = (canaries: readonly Canary[]) =>
  Object.fromEntries(canaries.map(({ name, value }) => [name, value]));

test.each<[string, (place: string) => Canary[], (canary: Canary) => object]>([
  [
    'a header from a variable',
    inHeaders,
    ({ name }) => ({ url: 'https://a.test/', headers: { 'X-Own': `\${${name}}` } }),
  ],
  [
    'a token from a variable',
    inHeaders,
    ({ name }) => ({ url: 'https://a.test/', headers: { Authorization: `Bearer \${${name}}` } }),
  ],
  [
    'a header as written',
    inHeaders,
    ({ value }) => ({ url: 'https://a.test/', headers: { Authorization: value.replaceAll('${', '$${') } }),
  ],
  [
    'a header inside of transport',
    inHeaders,
    ({ name }) => ({ transport: { url: 'https://a.test/', headers: { 'X-Own': `\${${name}}` } } }),
  ],
  ['a query from a variable', inUrls, ({ name }) => ({ url: `https://a.test/mcp?api_key=\${${name}}&b=1` })],
  [
    'a query as written, below a scope',
    inUrls,
    ({ value }) => ({ httpUrl: `https://a.test/@scope/mcp?api_key=${encodeURIComponent(value)}` }),
  ],
  [
    'a query below a path with @',
    inUrls,
    ({ value }) => ({ url: `https://a.test/me@x/mcp?api_key=${encodeURIComponent(value)}` }),
  ],
  ['a path from a variable', inUrls, ({ name }) => ({ serverUrl: `https://a.test/s/\${${name}}/mcp` })],
  ['a part of a path from a variable', inUrls, ({ name }) => ({ url: `https://a.test/s/x-\${${name}}-y/mcp` })],
  ['a password', inUrls, ({ value }) => ({ url: `https://me:${encodeURIComponent(value)}@a.test/mcp` })],
  ['a user', inUsers, ({ value }) => ({ url: `https://${encodeURIComponent(value)}@a.test/mcp` })],
])('%s is not shown, whatever it looks like', (place, canaries, entryOf) => {
  const all = canaries(place.replaceAll(/\W/g, '_'));
  expect(all.length).toBeGreaterThan(15);
  const seenIn = createWatch(all);
  const leaks = all.filter((canary) => {
    const { target, mask } = remoteWith(entryOf(canary), variablesOf(all));
    return seenIn(textsAbout(target, mask)).includes(canary.name);
  });
  expect(leaks.map(({ name, value }) => [name, value])).toEqual([]);
});

test.each([
  ['https://mcp.example.com/v1/mcp', 'https://mcp.example.com/v1/mcp'],
  ['https://server.example.com/@scope/package-name/mcp', 'https://server.example.com/@scope/package-name/mcp'],
  ['http://127.0.0.1:3000/sse', 'http://127.0.0.1:3000/sse'],
  ['https://a.test/api/mcp/s/Zk9canary7Qw/mcp', 'https://a.test/api/mcp/s/***/mcp'],
  ['https://me:pa55word@a.test/mcp', 'https://a.test/mcp'],
])('of the url %s this is shown: %s', (url, shown) => {
  const { target, mask } = remoteWith({ url });
  expect(mask.text(target.url)).toBe(shown);
});

test('a value that is encoded in the url is not shown either', () => {
  const env = { PASSWORDS: 'open sesame|friends', TENANT_KEY: 'AcmeTenant' };
  const { target, mask } = remoteWith({ url: 'https://${TENANT_KEY}.a.test/${PASSWORDS}/mcp' }, env);
  expect(target.url).toBe('https://acmetenant.a.test/open%20sesame|friends/mcp');
  expect(mask.text(`${target.url} ${decodeURIComponent(target.url)}`)).toBe('https://***/***/mcp https://***/***/mcp');
});

test('a password that became a header is not shown in any form, nor are both together', () => {
  const { mask } = remoteWith({ url: 'https://somebody1:pa55word@a.test/' });
  const header = Buffer.from('somebody1:pa55word').toString('base64');
  expect(mask.text(`pa55word somebody1 somebody1:pa55word Basic ${header} ${header}`)).toBe('*** *** ***:*** *** ***');
});

test('a server that cannot be used says nothing about its values', () => {
  const entry = { url: 'https://${UNSET}/${KEY}', headers: { A: '${KEY}', B: 'canary-literal\n1' } };
  expect(JSON.stringify(serverWith(entry, { KEY: 'canary-variable' }).target)).not.toContain('canary');
});
