import { createBatchWriter } from '../../../jsonrpc/batch-writer.js';
import { InFlight } from '../../../jsonrpc/in-flight.js';
import {
  failureFrom,
  isRequest,
  messageIn,
  type RequestId,
  type RpcFailure,
  type RpcNotification,
  type RpcRequest,
  type RpcResult,
} from '../../../jsonrpc/messages.js';
import { backlogWithoutReadingBytes, maxUnansweredRequests } from '../../../limits.js';
import type { Log } from '../../../platform/log.js';
import { type Caller, invalidParams, isModernRequest } from '../../../session/caller.js';
import type { Calls } from '../../../session/lazy-calls.js';
import type { AgentOutput, HeldResult } from '../../../session/transport.js';
import { type Edit, methods, saysThatItEnds } from '../protocol.js';
import type { Attachment } from './attach.js';
import { createPieceReader } from './piece-reader.js';
import { readResultLine } from './result-line.js';
import { watchSilence } from './silence.js';

/** Ids of questions are numbers below this. */
const questionsPerHost = 1_000_000_000;

/** A request of the agent, and who made it. */
export interface Pending {
  readonly request: RpcRequest;
  readonly caller: Caller;
}

export interface RelayEnd {
  /** The host has these, or had: it is unknown what became of them. */
  readonly sent: readonly Pending[];
  /** It never got these. */
  readonly held: readonly Pending[];
  /** The host has announced it: somebody has ended it, and nothing was wrong with it. */
  readonly isWanted: boolean;
}

export interface RelayListener {
  /** The host is gone; nothing is passed on any more. */
  readonly lost: (end: RelayEnd) => void;
  /** A line of the host about this session. */
  readonly logged: (level: unknown, text: unknown) => void;
}

/** The calls of an agent, served by a host. */
export interface Relay extends Calls {
  apply(edit: Edit): void;
  note(text: string | undefined): void;
}

/** Passes requests to the host and what comes back to the agent. `attempt`: 1 for the first host of this session, 2 for the second. */
export function createRelay(
  { socket, maxBytes, pid }: Attachment,
  attempt: number,
  output: AgentOutput,
  log: Log,
  { lost, logged }: RelayListener,
): Relay {
  const writer = createBatchWriter(socket);
  // Both ends of this hop end lines at a newline only.
  const write = (message: object) => writer.write([`${JSON.stringify(message)}\n`]);
  // Ids are those of this hop: the agent may use one again as soon as it has cancelled its request.
  const sent = new InFlight<Pending>();
  const hopIds = new InFlight<number>();
  let held: Pending[] = [];
  let sentCount = 0;
  let lastId = 0;
  let lastCaller: Caller | undefined;
  let isOver = false;
  output.maxBytes = maxBytes;
  // An agent may answer a question of the last host late: it must not answer one of this host.
  const shift = attempt * questionsPerHost;
  const toAgent = (id: unknown) => Number(id) + shift;
  /** Questions that the agent has not answered, by the ids that it has for them. */
  const asked = new Set<number>();

  function pass(pending: Pending): void {
    const { request, caller } = pending;
    const id = ++lastId;
    try {
      // A modern request carries its own.
      if (!isModernRequest(request.params ?? {}) && caller !== lastCaller) {
        write({ jsonrpc: '2.0', method: methods.caller, params: caller });
        lastCaller = caller;
      }
      write({ ...request, id });
    } catch {
      // A parser accepts more levels than can be written.
      output.send(failureFrom(request.id, invalidParams('The request is nested too deeply to be passed on')));
      return;
    }
    sent.set(id, pending);
    hopIds.set(request.id, id);
    sentCount++;
    silence.wait();
  }

  function passAnswer(message: RpcResult | RpcFailure, id: number): void {
    try {
      write({ ...message, id });
    } catch {
      write(failureFrom(id, new Error('The answer is nested too deeply to be passed on')));
    }
  }

  function passHeld(): void {
    while (sentCount < maxUnansweredRequests) {
      const next = held.shift();
      if (next === undefined) return;
      pass(next);
    }
  }

  /** The request whose answer has come, or that is cancelled. */
  function forget(id: number): RequestId | undefined {
    const pending = sent.get(id);
    if (pending === undefined) return undefined;
    sent.delete(id);
    hopIds.delete(pending.request.id);
    sentCount--;
    passHeld();
    return pending.request.id;
  }

  function receive(pieces: readonly Buffer[]): void {
    const line = readResultLine(pieces);
    if (line === undefined) {
      receiveMessage(Buffer.concat(pieces));
      return;
    }
    const id = forget(line.id);
    // The front writes them as they are.
    const result: HeldResult = { bytes: () => line.result };
    if (id !== undefined) output.send({ jsonrpc: '2.0', id, result });
  }

  function receiveMessage(bytes: Buffer): void {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    const message = messageIn(value);
    if (message === undefined) {
      if (saysThatItEnds(value)) lose(true);
      return;
    }
    if (isRequest(message)) {
      const id = toAgent(message.id);
      asked.add(id);
      output.send({ ...message, id });
      return;
    }
    if ('method' in message) {
      notify(message);
      return;
    }
    const id = typeof message.id === 'number' ? forget(message.id) : undefined;
    if (id !== undefined) output.send({ ...message, id });
  }

  function notify(message: RpcNotification): void {
    const { method, params = {} } = message;
    if (method === methods.log) logged(params['level'], params['text']);
    else if (method === methods.limit) output.maxBytes = Number(params['maxBytes']) || output.maxBytes;
    else if (method === 'notifications/cancelled') withdraw(toAgent(params['requestId']), params);
    else if (method !== methods.ping) output.send(message);
  }

  function withdraw(requestId: number, params: object): void {
    asked.delete(requestId);
    output.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId } });
  }

  function lose(isWanted = false): void {
    if (isOver) return;
    isOver = true;
    silence.end();
    socket.destroy();
    for (const id of asked) withdraw(id, { reason: `the host that asked was ${isWanted ? 'ended' : 'lost'}` });
    lost({ sent: sent.values(), held, isWanted });
  }

  const read = createPieceReader(receive);
  const silence = watchSilence({
    isWaiting: () => sentCount > 0,
    isListening: () => !socket.isPaused(),
    ask: () => write({ jsonrpc: '2.0', method: methods.ping }),
    onSilence() {
      lose();
      resume(pid);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    silence.heard();
    try {
      read(chunk);
    } catch {
      // Not what a host writes.
      lose();
    }
    if (output.backlog > backlogWithoutReadingBytes) socket.pause();
  });
  output.ondrain = () => {
    if (!isOver && output.backlog <= backlogWithoutReadingBytes) socket.resume();
  };
  socket.once('close', () => lose()).resume();

  return {
    start(request, caller) {
      if (sentCount < maxUnansweredRequests) pass({ request, caller });
      else held.push({ request, caller });
    },
    cancel(requestId) {
      held = held.filter(({ request }) => request.id !== requestId);
      const id = hopIds.get(requestId);
      if (id === undefined) return;
      write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      forget(id);
    },
    answered(message) {
      if (asked.delete(Number(message.id))) passAnswer(message, Number(message.id) - shift);
      else log.warn('agent: ignored a response: its id matches no pending request');
    },
    rootsChanged: () => write({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
    apply: (edit) => write({ jsonrpc: '2.0', method: methods.apply, params: edit }),
    note: (text) => write({ jsonrpc: '2.0', method: methods.note, params: { note: text ?? null } }),
    close() {
      isOver = true;
      silence.end();
      writer.flush();
      socket.end();
      resume(pid);
    },
  };
}

/** A host that was stopped would never notice that its sessions have gone, and its servers would run on. To any other this does nothing. */
function resume(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
