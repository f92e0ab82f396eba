import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from './network/network.js';
import { problemOf } from './problems.js';

const response = (status: number, more: Partial<HttpResponse> = {}): HttpResponse => ({
  status,
  statusText: '',
  headers: {},
  body: Readable.from([]),
  url: new URL('https://user:secret@mcp.example.com/mcp?key=secret#secret'),
  droppedHeaders: false,
  ...more,
});

describe('how long a server asks to wait', () => {
  const asked = (value: string) => problemOf(response(429, { headers: { 'retry-after': value } }), '', false);

  test.each([
    ['12', 12_000, 'asks to wait 12 s (HTTP 429)'],
    // At most an hour, whatever it asks for.
    ['86400', 3_600_000, 'asks to wait 3600 s (HTTP 429)'],
    ['9'.repeat(400), 3_600_000, 'asks to wait 3600 s (HTTP 429)'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000, 'asks to wait 3600 s (HTTP 429)'],
  ])('%j', (value, retryAfterMs, message) => {
    expect(asked(value)).toEqual({ kind: 'wait', message, retryAfterMs });
  });

  test.each(['soon', '', '12 s', '1e3', '0', 'Wed, 21 Oct 2015 07:28:00 GMT'])('%j says nothing', (value) => {
    expect(asked(value)).toEqual({ kind: 'wait', message: 'asks to wait (HTTP 429)' });
  });

  test('503 without it is a failure of the server', () => {
    expect(problemOf(response(503), '', false)).toEqual({
      kind: 'lost',
      message: 'https://mcp.example.com/mcp answered HTTP 503; the cause is on the server',
      status: 503,
    });
  });
});

test('where the headers were not sent because of a redirect, 401 says so, and which URL to use', () => {
  expect(problemOf(response(401, { droppedHeaders: true }), '', true)).toEqual({
    kind: 'unauthorized',
    message:
      'needs a login (401); the configured headers were not sent, because it redirects to another origin. Use https://mcp.example.com/mcp as the url',
  });
});

describe('what the server says about a refusal', () => {
  test.each([
    ['application/json', '{"error":{"code":-32000,"message":"No session"}}', ': No session'],
    ['application/problem+json; charset=utf-8', '{"title":"x","detail":"Not here"}', ': Not here'],
    ['application/json', '{"error":"invalid_request","error_description":"No token"}', ': No token'],
    ['application/json', '{"error":"invalid_request"}', ': invalid_request'],
    ['text/plain', '  Wrong door \nat line 2', ': Wrong door'],
    ['text/plain', 'x'.repeat(10_000), `: ${'x'.repeat(199)}…`],
    ['text/html', '<h1>Not Found</h1>', ''],
    ['application/json', '{"error":{"message":{"a":1}}}', ''],
    ['application/json', '["a"]', ''],
    ['application/json', '{', ''],
  ])('%s %s', (type, body, said) => {
    const { message } = problemOf(response(422, { headers: { 'content-type': type } }), body, false);
    expect(message).toBe(`https://mcp.example.com/mcp answered HTTP 422${said}`);
  });
});
