import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNoProxy } from './no-proxy.js';

const excepts = (value: string, url: string) => createNoProxy(value)(new URL(url));

test.each([
  ['*', 'https://anything.example.com/'],
  ['other.test, *', 'https://example.com/'],
  ['example.com', 'https://example.com/mcp'],
  ['EXAMPLE.com', 'https://example.COM/'],
  ['example.com', 'https://api.example.com/'],
  ['.example.com', 'https://api.example.com/'],
  ['.example.com', 'https://example.com/'],
  ['*.example.com', 'https://a.b.example.com/'],
  ['example.com.', 'https://example.com/'],
  ['example.com', 'https://example.com./'],
  ['example.com:8443', 'https://example.com:8443/'],
  ['example.com:443', 'https://example.com/'],
  ['example.com:80', 'http://api.example.com/'],
  ['a.test b.test\tc.test', 'https://b.test/'],
  ['a.test,b.test , c.test', 'https://c.test/'],
  ['127.0.0.1', 'http://127.0.0.1:9000/'],
  ['127.0.0.1:9000', 'http://127.0.0.1:9000/'],
  ['127.0.0.0/8', 'http://127.1.2.3/'],
  ['10.0.0.0/8', 'http://[::ffff:10.1.1.1]/'],
  ['::1', 'http://[::1]:9000/'],
  ['[::1]', 'http://[::1]:9000/'],
  ['[::1]:9000', 'http://[::1]:9000/'],
  ['0:0:0:0:0:0:0:1', 'http://[::1]/'],
  ['fd00::/8', 'http://[fd12::1]/'],
  ['[fd00::]/8', 'http://[fd12::1]/'],
  ['localhost', 'http://localhost:3000/'],
  ['bücher.example', 'https://xn--bcher-kva.example/'],
])('NO_PROXY=%s is for %s', (value, url) => {
  expect(excepts(value, url)).toBe(true);
});

test.each([
  ['', 'https://example.com/'],
  [' , ', 'https://example.com/'],
  ['.', 'https://example.com/'],
  ['example.com', 'https://notexample.com/'],
  ['example.com', 'https://example.com.evil.test/'],
  ['api.example.com', 'https://example.com/'],
  ['example.com:8443', 'https://example.com/'],
  ['*example.com', 'https://example.com/'],
  ['127.0.0.1', 'http://127.0.0.2/'],
  ['127.0.0.1:9000', 'http://127.0.0.1:9001/'],
  ['10.0.0.0/8', 'http://11.0.0.1/'],
  ['10.0.0.0/99', 'http://10.0.0.1/'],
  ['10.0.0', 'http://10.0.0.1/'],
  ['10.0.0.0/8', 'http://10.example.com/'],
  ['::1', 'http://[::2]/'],
  ['[::1]:9000', 'http://[::1]/'],
  ['localhost', 'http://127.0.0.1/'],
])('NO_PROXY=%s is not for %s', (value, url) => {
  expect(excepts(value, url)).toBe(false);
});

test('NO_PROXY may have any text', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('https://a.test/', 'http://10.0.0.1:80/', 'http://[::1]/'),
      (value, url) => {
        expect(typeof excepts(value, url)).toBe('boolean');
      },
    ),
  );
});
