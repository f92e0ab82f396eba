import { createConnection, type Socket } from 'node:net';
import { isRecord } from '../../../jsonrpc/json.js';
import { attachLimitMs, helloLimitMs, launchLimitMs, longestHelloBytes } from '../../../limits.js';
import {
  meansNobody,
  prepareSocketDirectory,
  socketDirectory,
  socketPath,
} from '../../../platform/sockets/socket-directory.js';
import { wireNumber } from '../../../platform/sockets/wire-number.js';
import { type Hello, saysThatItEnds } from '../protocol.js';
import { hostNames } from '../socket-names.js';
import { launchHost } from './launch.js';

/** Before each attempt. A host may end between two steps, and so may the next one, where many start at once and are killed. */
const pausesMs = [0, 0, 10, 20, 40, 80, 160, 320];
/** As long as nobody else answers on this socket. */
const longestAnswer = 65_536;

export interface Attachment {
  readonly socket: Socket;
  /** Of the host; undefined if it does not say. */
  readonly pid: number | undefined;
}

type Greeting =
  /** It is well, and loads what it needs. */
  | { readonly is: 'there'; readonly pid: number | undefined }
  | { readonly is: 'attached'; readonly pid?: number | undefined }
  /** It ended, or is about to. */
  | { readonly is: 'ended' }
  | { readonly is: 'refused'; readonly why: string };

/** Attaches to the host, which is started if there is none. Throws if that is not possible, with the reason. */
export async function attach(
  hello: Hello,
  env: Readonly<Record<string, string>>,
  hostName: string | undefined,
): Promise<Attachment> {
  const directory = socketDirectory();
  const path = socketPath(directory, hostNames(hostName).shared);
  const line = `${JSON.stringify({ workbench: wireNumber, ask: 'attach', ...hello })}\n`;
  if (Buffer.byteLength(line) > longestHelloBytes) {
    throw new Error(`a host takes no configuration over ${longestHelloBytes / 1_048_576} MiB`);
  }
  let isThere = false;
  for (const ms of pausesMs) {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    prepareSocketDirectory(directory);
    const socket = await connect(path);
    isThere = socket !== undefined;
    if (socket === undefined) {
      if (!(await launchHost(env, hostName)))
        throw new Error(`the host does not start within ${launchLimitMs / 1_000} s`);
      continue;
    }
    const greeting = await greet(socket, line);
    if (greeting.is === 'attached') return { socket, pid: greeting.pid };
    socket.destroy();
    if (greeting.is === 'refused') throw new Error(greeting.why);
  }
  throw new Error(isThere ? 'the host closes the connection' : 'the host does not start');
}

/** Undefined if nobody listens. */
function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const late = setTimeout(() => fail(new Error('the host does not answer')), helloLimitMs);
    const fail = (error: Error & { code?: string }) => {
      clearTimeout(late);
      socket.destroy();
      if (meansNobody(error.code)) resolve(undefined);
      else reject(error);
    };
    socket.once('error', fail).once('connect', () => {
      clearTimeout(late);
      socket.off('error', fail).on('error', () => {});
      resolve(socket);
    });
  });
}

function greet(socket: Socket, hello: string): Promise<Greeting> {
  socket.write(hello);
  return new Promise((resolve) => {
    let text = '';
    let pid: number | undefined;
    let late = setTimeout(() => settle({ is: 'refused', why: 'the host does not answer' }), helloLimitMs);
    const onEnd = () => settle({ is: 'ended' });
    const settle = (greeting: Greeting) => {
      clearTimeout(late);
      socket.off('data', onData).off('close', onEnd).pause();
      resolve(greeting);
    };
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
        const greeting = read(Buffer.from(text.slice(0, end), 'latin1').toString('utf8'));
        text = text.slice(end + 1);
        if (greeting.is !== 'there') {
          settle(greeting.is === 'attached' ? { ...greeting, pid } : greeting);
          // What follows is for the link.
          if (text !== '') socket.unshift(Buffer.from(text, 'latin1'));
          return;
        }
        pid = greeting.pid;
        clearTimeout(late);
        late = setTimeout(() => settle({ is: 'refused', why: 'the host does not serve this session' }), attachLimitMs);
      }
      if (text.length > longestAnswer) settle({ is: 'refused', why: notOurs });
    };
    socket.on('data', onData).once('close', onEnd);
  });
}

const notOurs = 'another program answers at the socket of the host';

function read(line: string): Greeting {
  const answer = parse(line);
  if (!isRecord(answer) || answer['workbench'] !== wireNumber) return { is: 'refused', why: notOurs };
  const { hello, attached, error } = answer;
  if (isRecord(error)) {
    return saysThatItEnds(answer) ? { is: 'ended' } : { is: 'refused', why: String(error['message']) };
  }
  if (isRecord(hello)) return { is: 'there', pid: processIdIn(hello) };
  return isRecord(attached) ? { is: 'attached' } : { is: 'refused', why: notOurs };
}

/** A signal to 0 or below would be one to many processes. */
function processIdIn({ pid }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
