import { chmodSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { pipeDirectory, prepareSocketDirectory, socketPath } from '../../platform/sockets/socket-directory.js';
import { newName, unfinishedPrefix } from '../../platform/sockets/socket-names.js';
import { wireNumber } from '../../platform/sockets/wire-number.js';
import {
  askTimeoutMs,
  lineOf,
  longestAskBytes,
  maxClientBacklogBytes,
  maxClients,
  type ProcessStatus,
  publishEveryMs,
  runningEveryMs,
  type StatusEvent,
} from './protocol.js';

export interface StatusSocket {
  /** Sends an event to everyone who watches. */
  publish(event: StatusEvent): void;
  /** Removes the socket and disconnects everyone, at once. */
  close(): void;
}

/** Opens the socket of this process. Throws if that is not possible. It never keeps the process alive. */
export function openStatusSocket(directory: string, config: string | undefined, answers: Answers): StatusSocket {
  const clients = createStatusClients(answers);
  const server = createServer((socket) => clients.accept(socket));
  const remove = listenIn(server, directory, newName(config));
  return {
    publish: (event) => clients.publish(event),
    close() {
      remove();
      server.close();
      clients.close();
    },
  };
}

/** Those who ask this process something. */
export interface StatusClients extends StatusSocket {
  accept(socket: Socket): void;
}

/** What clients are sent. */
export interface Answers {
  readonly status: () => ProcessStatus;
  readonly history: () => readonly StatusEvent[];
  /** What has changed since it was last asked for in the calls that run; `isAll`: their state in every session. */
  readonly running: (isAll: boolean) => readonly StatusEvent[];
  /** Cancels a call by its number in this process. False if no such call runs. */
  readonly cancel: (number: number) => boolean;
}

/** What waits to be sent together is limited as well. */
const maxUnsentChars = 65_536;
/** Lines of a history are as long as those of a status at most. */
const eventsPerLine = 250;

export function createStatusClients(answers: Answers, more?: MoreQuestions): StatusClients {
  // With the bytes of the history that a client asked for: they are not held against it.
  const watching = new Map<Socket, number>();
  const connected = new Set<Socket>();
  let unsent = '';
  let timer: NodeJS.Timeout | undefined;
  let ticking: NodeJS.Timeout | undefined;
  /** There is a watcher that knows calls only from the status. */
  let hasNew = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = unsent;
    unsent = '';
    for (const [socket, pastBytes] of watching) {
      if (socket.writableLength > maxClientBacklogBytes + pastBytes) socket.destroy();
      else if (lines !== '') socket.write(lines);
    }
  }

  function publish(event: StatusEvent): void {
    if (watching.size === 0) return;
    unsent += lineOf({ event });
    timer ??= setTimeout(flush, publishEveryMs).unref();
    if (unsent.length >= maxUnsentChars) flush();
  }

  function publishRunning(): void {
    for (const event of answers.running(hasNew)) publish(event);
    hasNew = false;
  }

  function stopWatching(socket: Socket): void {
    if (!watching.delete(socket) || watching.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  function watch(socket: Socket, wantsHistory: boolean): void {
    // These are in the history.
    flush();
    const past = wantsHistory ? historyLines(answers.history()) : '';
    socket.write(lineOf({ status: answers.status() }) + past);
    watching.set(socket, past.length);
    hasNew = true;
    ticking ??= setInterval(publishRunning, runningEveryMs).unref();
  }

  return {
    accept(socket) {
      // A client may be gone at any time.
      socket.on('error', () => {}).unref();
      if (connected.size >= (more?.maxClients ?? maxClients)) {
        socket.destroy();
        return;
      }
      connected.add(socket);
      const forget = () => {
        connected.delete(socket);
        stopWatching(socket);
      };
      socket.once('close', forget);
      const taken = more && { ...more, take: (...given: Taking) => more.take(...given) && (forget(), true) };
      serveClient(socket, answers, (wantsHistory) => watch(socket, wantsHistory), taken);
    },
    publish,
    close() {
      clearInterval(ticking);
      flush();
      // What was just written to them is still sent.
      for (const socket of connected) if (watching.has(socket)) socket.destroySoon();
      for (const socket of connected) if (!watching.has(socket)) socket.destroy();
    },
  };
}

/** What a process with more to offer than its status answers. */
export interface MoreQuestions {
  readonly longestAskBytes: number;
  readonly maxClients: number;
  /** Takes the socket over and returns true, or false if the question is unknown. */
  take(...given: Taking): boolean;
}

type Taking = [ask: JsonObject, socket: Socket, refuse: Refuse];
export type Refuse = (code: string, message: string) => void;

/** Answers one client, whatever it sends. It has the same time to ask and to read the answer, unless it watches. */
function serveClient(
  socket: Socket,
  answers: Answers,
  watch: (wantsHistory: boolean) => void,
  more?: MoreQuestions,
): void {
  const longest = more?.longestAskBytes ?? longestAskBytes;
  const received: Buffer[] = [];
  let size = 0;
  const refuse = (code: string, message: string) => void socket.end(lineOf({ error: { code, message } }));
  const late = setTimeout(() => {
    if (size > 0) refuse('INVALID', `No line end within ${askTimeoutMs} ms`);
    socket.destroySoon();
  }, askTimeoutMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.on('data', function read(chunk: Buffer) {
    const end = chunk.indexOf('\n');
    received.push(end === -1 ? chunk : chunk.subarray(0, end));
    size += end === -1 ? chunk.length : end;
    if (end === -1 && size <= longest) return;
    // Nothing else is expected: it is dropped.
    socket.off('data', read).resume();
    const ask = size > longest ? undefined : parse(Buffer.concat(received).toString('utf8'));
    if (ask === undefined) refuse('INVALID', 'Expected one line of JSON: {"workbench":1,"ask":"status"} or "watch"');
    else if (ask['workbench'] !== wireNumber) refuse('VERSION', `This process speaks version ${wireNumber}`);
    else if (ask['ask'] === 'status') socket.end(lineOf({ status: answers.status() }));
    else if (ask['ask'] === 'cancel') socket.end(lineOf({ cancelled: answers.cancel(Number(ask['call'])) }));
    else if (ask['ask'] === 'watch') {
      clearTimeout(late);
      watch(ask['history'] === true);
    } else if (more?.take(ask, socket, refuse)) clearTimeout(late);
    else refuse('UNKNOWN', 'Unknown question; there are "status", "watch" and "cancel"');
  });
}

function historyLines(events: readonly StatusEvent[]): string {
  const lines: string[] = [];
  // At least one: it says that nothing more of the past comes.
  for (let at = 0; at === 0 || at < events.length; at += eventsPerLine)
    lines.push(lineOf({ history: events.slice(at, at + eventsPerLine) }));
  return lines.join('');
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what removes the socket. */
function listenIn(server: Server, directory: string, name: string): () => void {
  prepareSocketDirectory(directory);
  const path = socketPath(directory, name);
  // What fails later, such as accepting a connection without descriptors, fails for that client only.
  let problem: Error | undefined;
  server.on('error', (error) => {
    problem = error;
  });
  if (directory === pipeDirectory) {
    server.listen(path).unref();
    return () => {};
  }
  // Others must not find it before it listens: they would remove it as a dead one.
  const unfinished = socketPath(directory, `${unfinishedPrefix}${name}`);
  server.listen(unfinished).unref();
  try {
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } catch (error) {
    server.close();
    throw problem ?? error;
  }
  const { ino } = lstatSync(path);
  return () => {
    try {
      if (lstatSync(path).ino === ino) unlinkSync(path);
    } catch {
      // Another process has removed it.
    }
  };
}
