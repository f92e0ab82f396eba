import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, askLine, askOnce, connectTo } from './socket-client.js';

let directory: string;
let path: string;
let servers: Server[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wb-'));
  path = join(directory, 'socket');
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(directory, { recursive: true });
});

const limits = { limitMs: 2_000, maxBytes: 1_000 };

function listen(serve: (socket: Socket, line: string) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', (chunk) => serve(socket, chunk.toString()));
  });
  servers.push(server);
  return new Promise((resolve) => server.listen(path, resolve));
}

test('without a socket file the process is gone, and with a file without a listener there is no listener', async () => {
  expect(await connectTo(path)).toMatchObject({ is: 'gone' });
  writeFileSync(path, '');
  expect(await connectTo(path)).toMatchObject({ is: 'nobody' });
});

test('any other error may be a process that has too much to do', async () => {
  writeFileSync(path, '');
  expect(await connectTo(join(path, 'socket'))).toMatchObject({ is: 'busy' });
});

test('asks with the number of the protocol, and reads an answer that arrives in pieces', async () => {
  let asked = '';
  await listen((socket, line) => {
    asked = line;
    socket.write('{"workbench":1,"text":"');
    socket.write(Buffer.from('ü').subarray(0, 1), () => {
      socket.write(Buffer.concat([Buffer.from('ü').subarray(1), Buffer.from('"}\n{"workbench":1}\n')]));
    });
  });
  expect(await askOnce(path, { ask: 'status' }, limits)).toEqual({
    is: 'answer',
    message: { workbench: 1, text: 'ü' },
  });
  expect(asked).toBe('{"workbench":1,"ask":"status"}\n');
});

test.each([
  ['another number', '{"workbench":2}\n', 'foreign'],
  ['no number', '{}\n', 'foreign'],
  ['no object', '[1]\n', 'foreign'],
  ['no JSON', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'foreign'],
  ['an empty line', '\n', 'foreign'],
  ['a line that is too long', `${' '.repeat(1_001)}{"workbench":1}\n`, 'foreign'],
  ['more than a line may have, without an end', 'x'.repeat(1_001), 'foreign'],
])('an answer with %s is not of this protocol', async (_, text, is) => {
  await listen((socket) => void socket.write(text));
  expect(await askOnce(path, { ask: 'status' }, limits)).toEqual({ is });
});

test('a process that closes the connection in the middle of a line has not answered', async () => {
  await listen((socket) => void socket.end('{"workbench":1'));
  expect(await askOnce(path, { ask: 'status' }, limits)).toEqual({ is: 'closed' });
});

test('a process that does not answer in time is silent', async () => {
  await listen(() => {});
  expect(await askOnce(path, { ask: 'status' }, { ...limits, limitMs: 50 })).toEqual({ is: 'silent' });
});

test('answers are read one by one, also after the connection was closed', async () => {
  await listen((socket) => void socket.end('{"workbench":1,"n":1}\n{"workbench":1,"n":2}\n'));
  const connection = await connectTo(path);
  if (connection.is !== 'connected') throw new Error(connection.why);
  const answers = ask(connection.socket, askLine({ ask: 'watch' }), 1_000);
  expect(await answers.next(2_000)).toMatchObject({ message: { n: 1 } });
  await new Promise((resolve) => void connection.socket.once('close', resolve));
  expect(await answers.next(2_000)).toMatchObject({ message: { n: 2 } });
  expect(await answers.next(Infinity)).toEqual({ is: 'closed' });
});

test('what follows the last answer goes back to the socket', async () => {
  await listen((socket) => void socket.write('{"workbench":1}\nfor somebody else'));
  const connection = await connectTo(path);
  if (connection.is !== 'connected') throw new Error(connection.why);
  const { socket } = connection;
  const answers = ask(socket, askLine({ ask: 'attach' }), 1_000);
  expect(await answers.next(2_000)).toMatchObject({ is: 'answer' });
  answers.release();
  const rest = await new Promise((resolve) => void socket.once('data', (chunk) => resolve(chunk.toString())).resume());
  expect(rest).toBe('for somebody else');
  socket.destroy();
});
