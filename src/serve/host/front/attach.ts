import type { Socket } from 'node:net';
import { messageOf } from '../../../contract/errors.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import type { Answers, Received } from '../../../platform/sockets/answers.js';
import { ask, askLine, connectTo } from '../../../platform/sockets/socket-client.js';
import {
  prepareSocketDirectory,
  socketDirectory,
  socketDirectoryProblem,
  socketPath,
} from '../../../platform/sockets/socket-directory.js';
import { stallFileOf } from '../../../platform/sockets/stall-file.js';
import { attachLimitMs, helloLimitMs, longestHelloBytes } from '../limits.js';
import { showProof } from '../proof.js';
import { type Hello, provenLine, saysThatItEnds } from '../protocol.js';
import { hostNames } from '../socket-names.js';
import { launchHost } from './launch.js';

/** Before each attempt. A host may end between two steps, and so may the next one, where many start at once and are killed. */
const pausesMs = [0, 0, 10, 20, 40, 80, 160, 320];
/** As long as no other host answers on this socket. */
const longestAnswer = 65_536;

export interface Attachment {
  readonly socket: Socket;
  /** Of the host; undefined if it does not say. */
  readonly pid: number | undefined;
  /** In which it says that it is busy. */
  readonly stallFile: string | undefined;
}

type Greeting =
  /** It is alive, and loads what it needs. */
  | { readonly is: 'there'; readonly pid: number | undefined; readonly nonce: string }
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
  const { directory, path, shared, attachment } = placeOf(hostName);
  const line = helloLine(hello);
  let isThere = false;
  for (const ms of pausesMs) {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    prepareSocketDirectory(directory);
    const socket = await connect(path);
    isThere = socket !== undefined;
    if (socket === undefined) {
      const problem = await launchHost(env, hostName, shared);
      if (problem !== undefined) throw new Error(problem);
      continue;
    }
    const greeting = await greet(socket, line);
    if (greeting.is === 'attached') return attachment(socket, greeting.pid);
    socket.destroy();
    if (greeting.is === 'refused') throw new Error(greeting.why);
  }
  throw new Error(isThere ? 'the host closes the connection' : 'the host does not start');
}

/** The same with a host that runs already; undefined if there is none, or it does not take this session. */
export async function attachToRunning(hello: Hello, hostName: string | undefined): Promise<Attachment | undefined> {
  const { directory, path, attachment } = placeOf(hostName);
  if (socketDirectoryProblem(directory) !== undefined) return undefined;
  const line = lineWithin(hello);
  const socket = line === undefined ? undefined : await connect(path).catch(() => undefined);
  if (socket === undefined || line === undefined) return undefined;
  const greeting = await greet(socket, line);
  if (greeting.is === 'attached') return attachment(socket, greeting.pid);
  socket.destroy();
  return undefined;
}

function placeOf(hostName: string | undefined) {
  const directory = socketDirectory();
  const names = hostNames(hostName);
  const stallFile = (pid: number) => stallFileOf(socketPath(directory, names.own(pid)));
  const attachment = (socket: Socket, pid: number | undefined): Attachment => ({
    ...{ socket, pid },
    stallFile: pid === undefined ? undefined : stallFile(pid),
  });
  return { directory, path: socketPath(directory, names.shared), shared: names.shared, attachment };
}

function helloLine(hello: Hello): string {
  const line = lineWithin(hello);
  if (line !== undefined) return line;
  throw new Error(`a host takes no configuration over ${longestHelloBytes / 1_048_576} MiB`);
}

/** Undefined if it is too long. */
function lineWithin(hello: Hello): string | undefined {
  const line = askLine({ ask: 'attach', ...hello });
  return Buffer.byteLength(line) <= longestHelloBytes ? line : undefined;
}

/** Undefined if there is no listener. */
async function connect(path: string): Promise<Socket | undefined> {
  const found = await connectTo(path, helloLimitMs);
  if (found.is === 'busy') throw new Error(`the host does not answer: ${found.why}`);
  return found.is === 'connected' ? found.socket : undefined;
}

async function greet(socket: Socket, hello: string): Promise<Greeting> {
  const answers = ask(socket, hello, longestAnswer);
  let greeting = readGreeting(await answers.next(helloLimitMs), 'the host does not answer');
  if (greeting.is === 'there') greeting = await prove(socket, answers, greeting);
  // All further bytes are for the link.
  answers.release();
  return greeting;
}

/** Shows the host that this process has the rights it has, so that the host runs servers for it. */
async function prove(
  socket: Socket,
  answers: Answers,
  { pid, nonce }: Extract<Greeting, { is: 'there' }>,
): Promise<Greeting> {
  let takeBack: () => void;
  try {
    takeBack = showProof(nonce);
  } catch (error) {
    return { is: 'refused', why: `this process cannot show its rights to the host: ${messageOf(error)}` };
  }
  socket.write(provenLine);
  const greeting = readGreeting(await answers.next(attachLimitMs), 'the host does not serve this session');
  takeBack();
  return greeting.is === 'attached' ? { ...greeting, pid } : greeting;
}

const notOurs = 'another program answers at the socket of the host';

function readGreeting(received: Received, late: string): Greeting {
  if (received.is === 'silent') return { is: 'refused', why: late };
  if (received.is === 'closed') return { is: 'ended' };
  if (received.is === 'foreign') return { is: 'refused', why: notOurs };
  const answer = received.message;
  const { hello, attached, error } = answer;
  if (isRecord(error)) {
    return saysThatItEnds(answer) ? { is: 'ended' } : { is: 'refused', why: String(error['message']) };
  }
  if (isRecord(hello)) return { is: 'there', pid: processIdIn(hello), nonce: String(hello['nonce']) };
  return isRecord(attached) ? { is: 'attached' } : { is: 'refused', why: notOurs };
}

/** A signal to 0 or below would be one to many processes. */
function processIdIn({ pid }: JsonObject): number | undefined {
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}
