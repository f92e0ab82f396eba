import type { Socket } from 'node:net';
import type { assemble, Engine } from '../../../compose.js';
import { messageOf } from '../../../contract/errors.js';
import { InFlight } from '../../../jsonrpc/in-flight.js';
import { isRecord } from '../../../jsonrpc/json.js';
import {
  failureFrom,
  isRequest,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '../../../jsonrpc/messages.js';
import {
  backlogCutOffBytes,
  backlogCutOffMs,
  backlogWithoutInputBytes,
  backlogWithoutProgressBytes,
  maxUnansweredRequests,
} from '../../../limits.js';
import type { Computer } from '../../../platform/computer.js';
import { createLog, type Log } from '../../../platform/log.js';
import { type Caller, isModernRequest, modernCaller, unknownClient } from '../../../session/caller.js';
import type { AgentOutput, AgentWire } from '../../../session/transport.js';
import { createStdioWire } from '../../stdio/stdio-wire.js';
import { type Edit, type Hello, methods, readEdit } from '../protocol.js';
import { sessionConfig } from './session-config.js';

/** The engine, and what reads configurations for it. */
export interface Loaded {
  readonly engine: Engine;
  readonly assemble: typeof assemble;
}

/** Serves the calls of one front over its socket until the front is gone. */
export async function serveSession(
  socket: Socket,
  hello: Hello,
  { engine, assemble: assembled }: Loaded,
): Promise<void> {
  if (socket.destroyed) return;
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const wire = createStdioWire(socket, socket, () => void socket.destroy());
  const output = countedOutput(wire, socket);
  let keepLine = (_line: string) => {};
  const log = frontLog(wire, (line) => keepLine(line));
  const computerOf = (env: Edit['env']): Computer => ({
    env,
    cwd: hello.cwd,
    home: hello.home,
    platform: process.platform,
  });
  let computer = computerOf(hello.env);
  const config = await sessionConfig(hello.config, computer, assembled);
  if (socket.destroyed) return;
  const served = engine.openSession(config, output, { computer, log, front: hello.pid, isFrozen: hello.isFrozen });
  keepLine = (line) => served.keepLine(line);
  served.note(hello.note ?? undefined);
  let caller: Caller = unknownClient;
  let applying: Promise<void> = Promise.resolve();

  async function apply(edit: Edit | string): Promise<void> {
    if (typeof edit === 'string') throw new Error(`Invalid edit: ${edit}`);
    computer = computerOf(edit.env);
    served.apply(await sessionConfig(edit.config, computer, assembled));
    wire.send(notification(methods.limit, { maxBytes: output.maxBytes }));
  }

  function start(request: RpcRequest): void {
    output.received(request.id);
    try {
      served.calls.start(request, isModernRequest(request.params ?? {}) ? modernCaller(request.params ?? {}) : caller);
    } catch (error) {
      output.send(failureFrom(request.id, error));
    }
  }

  function control({ method, params = {} }: RpcNotification): void {
    switch (method) {
      case 'notifications/cancelled':
        output.forget(params['requestId']);
        return served.calls.cancel(params['requestId']);
      case 'notifications/roots/list_changed':
        return served.calls.rootsChanged();
      case methods.caller:
        caller = callerIn(params) ?? caller;
        return undefined;
      case methods.note:
        return served.note(typeof params['note'] === 'string' ? params['note'] : undefined);
      case methods.ping:
        return wire.send(notification(methods.ping));
      case methods.apply:
        // One after the other: reading a newer one may take less time, and the last one counts.
        applying = applying.then(() => apply(readEdit(params))).catch((error: unknown) => log.warn(messageOf(error)));
        return undefined;
      default:
        return undefined;
    }
  }

  function receive(message: RpcMessage): void {
    if (isRequest(message)) start(message);
    else if ('method' in message) control(message);
    else served.calls.answered(message);
  }

  wire.onmessage = (message) => {
    try {
      receive(message);
    } catch (error) {
      // It must not end the others.
      log.error(`session: ${messageOf(error)}`);
      socket.destroy();
    }
  };
  wire.onerror = (error) => log.warn(`session: ${error.message}`);
  wire.start();
  socket.write(`${JSON.stringify({ workbench: 1, attached: { session: served.id, maxBytes: output.maxBytes } })}\n`);
  const watch = watchBacklog(wire, () => {
    log.warn(`session: cut off, its client has left ${Math.round(wire.backlog / 1_000_000)} MB unread`);
    socket.destroy();
  });
  await gone;
  clearInterval(watch);
  served.calls.close();
  await served.close();
}

interface CountedOutput extends AgentOutput {
  received(id: RpcRequest['id']): void;
  forget(id: unknown): void;
}

/** Reading stops while too many requests are unanswered. A front of ours never sends so many: it keeps them itself. */
function countedOutput(wire: AgentWire, socket: Socket): CountedOutput {
  const running = new InFlight<true>();
  let count = 0;
  const output: CountedOutput = {
    get maxBytes() {
      return wire.maxBytes;
    },
    set maxBytes(bytes) {
      wire.maxBytes = bytes;
    },
    get backlog() {
      return wire.backlog;
    },
    send(message) {
      if (!('method' in message)) output.forget(message.id);
      wire.send(message);
    },
    received(id) {
      running.set(id, true);
      if (++count > maxUnansweredRequests) socket.pause();
    },
    forget(id) {
      if (!running.has(id)) return;
      running.delete(id);
      if (--count <= maxUnansweredRequests && wire.backlog <= backlogWithoutInputBytes) socket.resume();
    },
  };
  wire.ondrain = () => {
    // The wire reads again, because the front does.
    if (count > maxUnansweredRequests) socket.pause();
    output.ondrain?.();
  };
  return output;
}

/**
 * A front that does not read is cut off, so that what waits for it does not fill the memory of all. Ticks are counted, not the clock: a
 * computer that was asleep has made none.
 */
function watchBacklog(wire: AgentWire, cutOff: () => void): NodeJS.Timeout {
  let ticks = 0;
  return setInterval(() => {
    ticks = wire.backlog > backlogCutOffBytes ? ticks + 1 : 0;
    if (ticks * backlogTickMs > backlogCutOffMs) cutOff();
  }, backlogTickMs).unref();
}

const backlogTickMs = 1_000;

/** Lines about a session go to the log of its front, and into its file. */
function frontLog(wire: AgentWire, keepLine: (line: string) => void): Log {
  const kept = createLog(keepLine);
  const line = (level: keyof Log) => (text: string) => {
    kept[level](text);
    if (wire.backlog <= backlogWithoutProgressBytes) wire.send(notification(methods.log, { level, text }));
  };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

function notification(method: string, params?: Readonly<Record<string, unknown>>): RpcMessage {
  return { jsonrpc: '2.0', method, ...(params && { params }) };
}

function callerIn({ revision, client, capabilities }: Readonly<Record<string, unknown>>): Caller | undefined {
  if (typeof revision !== 'string' || !isRecord(capabilities)) return undefined;
  if (!isRecord(client)) return { revision, capabilities, client: undefined };
  const { name, version } = client;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { revision, capabilities, client: { ...client, name, version } };
}
