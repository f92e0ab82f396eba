import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenForBrowser } from './callback.js';

async function listener() {
  const answers: string[] = [];
  const callback = await listenForBrowser({
    port: undefined,
    preferred: undefined,
    async answered(parameters) {
      answers.push(parameters.toString());
      return { kind: 'mismatch' };
    },
  });
  onTestFinished(() => callback.close());
  const port = Number(new URL(callback.redirectUrl).port);
  return { answers, send: (line: string) => sent(port, line) };
}

/** Sends a request line that `fetch` would not send. */
async function sent(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return text(socket);
}

describe('a request of anybody to the callback', () => {
  test.each(['GET //', 'GET //[', 'GET http://[', 'POST /callback', 'HEAD /callback', 'GET /'])(
    'that is not an answer (%s) gets a page and changes nothing',
    async (line) => {
      const { answers, send } = await listener();
      expect(await send(line)).toMatch(/^HTTP\/1\.1 404 /);
      expect(await send('GET /callback?state=x')).toMatch(/^HTTP\/1\.1 400 /);
      expect(answers).toEqual(['state=x']);
    },
  );
});

test('a port that another program has on one of the two addresses of localhost is taken', async () => {
  const other = createServer().listen(0, '::1');
  const hasIpv6 = await once(other, 'listening').then(
    () => true,
    () => false,
  );
  onTestFinished(() => void other.close());
  const address = other.address();
  if (!hasIpv6 || address === null || typeof address === 'string') return;
  const wanted = { port: address.port, preferred: undefined, answered: async () => ({ kind: 'mismatch' }) as const };
  await expect(listenForBrowser(wanted)).rejects.toMatchObject({ code: 'LOGIN_PORT_TAKEN' });
});
