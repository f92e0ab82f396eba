import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Exchange } from './exchange.js';
import { createUnread } from './unread.js';

/** A response whose client reads nothing. */
function stalledResponse() {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    ...{ headersSent: false, destroyed: false, writableLength: 0, req: { socket: { destroyed: false } } },
    ...{ cork() {}, uncork() {}, flushHeaders() {} },
    writeHead() {
      return response;
    },
    write(text: string) {
      written.push(text);
      response.writableLength += text.length;
      return false;
    },
    end() {},
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an exchange uses of it
  return { written, response, asResponse: response as unknown as ServerResponse };
}

function exchangeOver(response: ServerResponse, ended: () => void = () => {}): Exchange {
  const parts = { response, request: { id: 1 }, isModern: true, headers: {}, unread: createUnread(1_000), ended };
  return new Exchange(parts);
}

test('a client that does not read gets little progress, and what else belongs to its call', () => {
  const { written, asResponse } = stalledResponse();
  const exchange = exchangeOver(asResponse);
  const params = { progressToken: 'x'.repeat(1_000), progress: 1 };
  for (let step = 0; step < 10_000; step++)
    exchange.event({ jsonrpc: '2.0', method: 'notifications/progress', params }, 10_000);
  expect(written.join('').length).toBeLessThan(300_000);
  exchange.event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 10_000);
  exchange.answer({ jsonrpc: '2.0', id: 1, result: { last: true } }, 10_000);
  expect(written.join('')).toContain('notifications/message');
  expect(written.join('')).toContain('"last":true');
});

test('no comment is sent to a client that does not read, so that it does not look alive', () => {
  const { written, asResponse } = stalledResponse();
  const exchange = exchangeOver(asResponse);
  exchange.event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 10_000);
  const before = written.length;
  exchange.tick(performance.now() + 60_000);
  expect(written).toHaveLength(before);
});

test('a response whose connection is lost before its turn ends the exchange once', () => {
  const { response, asResponse } = stalledResponse();
  let ends = 0;
  let goes = 0;
  const exchange = exchangeOver(asResponse, () => ends++);
  exchange.onGone = () => goes++;
  exchange.tick(performance.now());
  expect([ends, goes, exchange.isOver]).toEqual([0, 0, false]);
  response.req.socket.destroyed = true;
  exchange.tick(performance.now());
  exchange.tick(performance.now());
  response.emit('close');
  expect([ends, goes, exchange.isOver]).toEqual([1, 1, true]);
});
