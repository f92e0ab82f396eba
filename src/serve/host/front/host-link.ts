import { InFlight } from '../../../jsonrpc/in-flight.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { messageIn, type RequestId, type RpcMessage } from '../../../jsonrpc/messages.js';
import { RecentIds } from '../../../jsonrpc/recent-ids.js';
import { backlogWithoutProgressBytes, backlogWithoutReadingBytes } from '../../../limits.js';
import type { Log } from '../../../platform/log.js';
import { readStall } from '../../../platform/sockets/stall-file.js';
import type { HeldResult } from '../../../results/held-bytes.js';
import { type Caller, isModernRequest } from '../../../session/caller.js';
import type { Pending, SessionLink } from '../../../session/link.js';
import type { AgentOutput } from '../../../session/transport.js';
import { createFrameReader, createFrameWriter, type Frame, frameKinds, textOf } from '../frames.js';
import { longestFrameToSession, maxUnansweredRequests } from '../limits.js';
import { type Edit, methods } from '../protocol.js';
import type { Attachment } from './attach.js';
import { createQuestions } from './host-questions.js';
import { watchSilence } from './silence.js';

/** Questions of one host are numbered from one million on, and no host gets to this. */
const questionsPerHost = 1_000_000_000;
/** Up to here, a text costs less than a write of several pieces. */
const longestText = 4_096;

interface Sent extends Pending {
  readonly number: number;
}

export interface LinkEnd {
  /** Requests that the host got and did not answer. */
  readonly sent: readonly Pending[];
  /** Requests that were not sent to it. */
  readonly held: readonly Pending[];
  /** The host has announced its end: it was asked to stop, and did not fail. */
  readonly isWanted: boolean;
}

export interface LinkListener {
  /** The host is gone; nothing is passed on any more. */
  readonly lost: (end: LinkEnd) => void;
  /** A line of the host about this session. */
  readonly logged: (level: unknown, text: unknown) => void;
  /** What is sent with an edited configuration. */
  readonly editOf: (configuration: Parameters<SessionLink['apply']>[0]) => Edit;
}

/** `attempt`: 1 for the first host of this session, 2 for the second. */
export interface HostLinkOptions extends LinkListener {
  readonly attempt: number;
  readonly log: Log;
}

/** The link of a session that a host serves: passes requests to it, and what comes back to the agent. */
export function createHostLink(
  { socket, pid, stallFile }: Attachment,
  output: AgentOutput,
  { attempt, log, lost, logged, editOf }: HostLinkOptions,
): SessionLink {
  const writer = createFrameWriter(socket);
  const control = (method: string, params: object, number = 0) =>
    writer.write(frameKinds.control, number, JSON.stringify({ method, params }));
  // Numbers are those of this hop: the agent may use an id again as soon as it has cancelled its request.
  const sent = new InFlight<Sent>();
  const ended = new RecentIds();
  let sentCount = 0;
  let lastNumber = 0;
  let held: Pending[] = [];
  let lastCaller: Caller | undefined;
  let isOver = false;
  const questions = createQuestions(attempt * questionsPerHost, output);
  // The host has the configuration, and keeps its limit.
  output.maxBytes = Number.POSITIVE_INFINITY;

  function pass(pending: Pending): void {
    const { request, caller, line } = pending;
    // A modern request carries its own.
    const isNew = caller !== lastCaller && !isModernRequest(request.params ?? {});
    if (isNew) control(methods.caller, caller);
    if (isNew) lastCaller = caller;
    lastNumber = (lastNumber + 1) >>> 0;
    writer.write(frameKinds.request, lastNumber, line === undefined ? JSON.stringify(request) : [line]);
    sent.set(lastNumber, { request, caller, number: lastNumber });
    sentCount++;
    silence.wait();
  }

  const sentAs = (requestId: unknown) => sent.values().find(({ request }) => request.id === requestId);

  /** The id of the request whose answer has come, or that is cancelled. */
  function forget(number: number): RequestId | undefined {
    const pending = sent.get(number);
    if (pending === undefined) return undefined;
    sent.delete(number);
    sentCount--;
    if (held.length > 0) passHeld();
    return pending.request.id;
  }

  function passHeld(): void {
    while (sentCount < maxUnansweredRequests) {
      const next = held.shift();
      if (next === undefined) return;
      pass(next);
    }
  }

  function receive(frame: Frame): void {
    const { kind, number } = frame;
    if (isOver) return;
    switch (kind) {
      case frameKinds.result: {
        const id = forget(number);
        if (id === undefined) return;
        ended.add(id, number);
        output.send({ jsonrpc: '2.0', id, result: resultIn(frame) });
        return;
      }
      case frameKinds.failure: {
        const id = forget(number);
        if (id !== undefined) output.send(failureIn(id, JSON.parse(textOf(frame))));
        return;
      }
      case frameKinds.question:
        askAgent(number, JSON.parse(textOf(frame)));
        return;
      case frameKinds.notification: {
        const message = messageIn(JSON.parse(textOf(frame)));
        // Dropped as by calls without a host: they have one backlog, these have two.
        if (output.unread > backlogWithoutProgressBytes && isProgress(message)) return;
        if (message !== undefined && 'method' in message) output.send(message, sent.get(number)?.request.id);
        return;
      }
      case frameKinds.control:
        obey(number, JSON.parse(textOf(frame)));
        return;
      default:
        throw new Error(`a frame of kind ${kind}`);
    }
  }

  function askAgent(number: number, value: unknown): void {
    const { inReplyTo, ...question } = isRecord(value) ? value : {};
    questions.ask(number, question, sent.get(inReplyTo)?.request.id);
  }

  function obey(number: number, value: unknown): void {
    const { method, params } = isRecord(value) ? value : {};
    const given = isRecord(params) ? params : {};
    if (method === methods.log) logged(given['level'], given['text']);
    else if (method === methods.withdraw) questions.withdraw(number, given['reason']);
    else if (method === methods.ending) lose(true);
  }

  function lose(isWanted = false): void {
    if (isOver) return;
    isOver = true;
    silence.end();
    socket.destroy();
    questions.close(`the host that asked was ${isWanted ? 'ended' : 'lost'}`);
    lost({ sent: sent.values(), held, isWanted });
  }

  const silence = watchSilence({
    isWaiting: () => sentCount > 0,
    isListening: () => !socket.isPaused(),
    ask: () => control(methods.ping, {}),
    stalledMs: () => (stallFile === undefined ? undefined : readStall(stallFile)),
    onSilence() {
      lose();
      resume(pid);
    },
  });
  const read = createFrameReader(longestFrameToSession, receive);
  readAsRead(socket, output, (chunk) => {
    silence.heard();
    try {
      read(chunk);
    } catch {
      // Not what a host writes.
      lose();
    }
  });
  socket.once('close', () => lose()).resume();

  return {
    start(request, caller, line) {
      if (sentCount < maxUnansweredRequests) pass({ request, caller, line });
      else held.push({ request, caller, line });
    },
    follow(requestId, token) {
      const found = sentAs(requestId);
      if (found !== undefined) control(methods.follow, { token }, found.number);
    },
    shown(requestId, chars) {
      const number = isOver ? undefined : ended.numberOf(requestId);
      if (number !== undefined) control(methods.shown, { chars }, number);
    },
    cancel(requestId) {
      held = held.filter(({ request }) => request.id !== requestId);
      const found = sentAs(requestId);
      if (found === undefined) return;
      control(methods.cancel, {}, found.number);
      forget(found.number);
    },
    answered(message) {
      const number = questions.take(message.id);
      if (number === undefined) log.warn('agent: ignored a response: its id matches no pending request');
      else writer.write(frameKinds.answer, number, JSON.stringify(message));
    },
    rootsChanged: () => control(methods.rootsChanged, {}),
    apply: (configuration) => control(methods.apply, editOf(configuration)),
    note: (text) => control(methods.note, { note: text ?? null }),
    async close() {
      isOver = true;
      silence.end();
      questions.close('the session has ended');
      writer.flush();
      socket.end();
      resume(pid);
    },
  };
}

/** Reads from a host only as fast as the agent reads what it says. */
function readAsRead(socket: Attachment['socket'], output: AgentOutput, onChunk: (chunk: Buffer) => void): void {
  socket.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    if (output.unread > backlogWithoutReadingBytes) socket.pause();
  });
  output.ondrain = () => {
    if (!socket.destroyed && output.unread <= backlogWithoutReadingBytes) socket.resume();
  };
}

function isProgress(message: RpcMessage | undefined): boolean {
  return message !== undefined && 'method' in message && message.method === 'notifications/progress';
}

function resultIn({ pieces, size }: Frame): HeldResult {
  const [first] = pieces;
  if (pieces.length !== 1 || first === undefined || size > longestText) return { bytes: () => pieces };
  const text = [first.toString('utf8')];
  return { bytes: () => text };
}

function failureIn(id: RequestId, error: unknown): RpcMessage {
  const message = messageIn({ jsonrpc: '2.0', id, error });
  if (message === undefined) throw new Error('not an error');
  return message;
}

/** A host that was stopped would never notice that its sessions have gone, and its servers would run on. To any other this does nothing. */
function resume(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
