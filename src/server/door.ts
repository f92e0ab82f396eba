import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Agent } from '../workbench/downstream.js';
import type { Workbench } from '../workbench/workbench.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';
import { answerOpening, comingCall, type Opening } from './opening.js';

const loadAfterMs = 200;
const internalError = -32_603;
const headStartMs = 15;

/**
 * Serves a workbench to one agent. Every start of a client waits for the opening messages, and the SDK takes longer to
 * load than to answer them; so they are answered here, from the configuration alone, while nothing else is loaded. The
 * SDK then takes over: it is told the handshake again, its answer to that is dropped, and all else is its own.
 */
export function openDoor(workbench: Workbench, wire: Transport, log: Log): void {
  const overview = workbench.overview();
  const opening: Opening = { instructions: instructions(overview), tools: metaTools(overview) };
  const handshake: JSONRPCMessage[] = [];
  const waiting: JSONRPCMessage[] = [];
  let inner: Transport | undefined;
  let loading: Promise<void> | undefined;
  let askAgent: Agent['ask'] | undefined;

  function receive(message: JSONRPCMessage): void {
    if (inner !== undefined) {
      inner.onmessage?.(message);
      return;
    }
    const reply = loading === undefined ? answerOpening(message, opening, handshake.length > 0) : undefined;
    if (reply === undefined) {
      waiting.push(message);
      if (loading === undefined) headStart(message);
      return;
    }
    if (reply.isHandshake) handshake.push(message);
    if (reply.result !== undefined && 'id' in message && message.id !== undefined) {
      void wire.send({ jsonrpc: '2.0', id: message.id, result: reply.result });
    }
    // Not at once: the agent's next question is on its way, and loading would keep it waiting.
    setTimeout(() => void load(), loadAfterMs).unref();
  }

  /** What the call needs starts first: servers take longer to start than the SDK to load, and both can be had at once. */
  function headStart(message: JSONRPCMessage): void {
    const coming = comingCall(message, handshake[0]);
    if (coming === undefined) {
      void load();
      return;
    }
    const ask: Agent['ask'] = async (question, signal) => {
      await load();
      if (coming.isModern || askAgent === undefined)
        throw new Error('The client can be asked only while it calls a tool');
      return askAgent(question, signal);
    };
    workbench.headStart(coming.place, { capabilities: coming.capabilities, ask });
    setTimeout(() => void load(), headStartMs);
  }

  function load(): Promise<void> {
    loading ??= takeOver().catch((error: unknown) => {
      const text = 'A part of the workbench cannot be loaded. If it was updated while it ran, restart the client';
      log.error(`${text}: ${messageOf(error)}`);
      for (const message of waiting.splice(0)) {
        if ('method' in message && 'id' in message) {
          void wire.send({ jsonrpc: '2.0', id: message.id, error: { code: internalError, message: text } });
        }
      }
      // Nothing can be served any more; the client sees that we go.
      void wire.close();
    });
    return loading;
  }

  async function takeOver(): Promise<void> {
    const { serve } = await import('./serve.js');
    const [first] = handshake;
    const told = first !== undefined && 'id' in first ? first.id : undefined;
    let isTold = told === undefined;
    const behind: Transport = {
      start: async () => {},
      async send(message, options) {
        if (isTold || !('id' in message) || message.id !== told || 'method' in message)
          return wire.send(message, options);
        isTold = true;
        deliver();
      },
      close: () => wire.close(),
    };
    const deliver = () => {
      for (const message of [...handshake.slice(1), ...waiting.splice(0)]) behind.onmessage?.(message);
      inner = behind;
    };
    askAgent = serve(workbench, behind, log);
    wire.onclose = () => behind.onclose?.();
    wire.onerror = (error) => behind.onerror?.(error);
    if (first === undefined) deliver();
    else behind.onmessage?.(first);
  }

  wire.onmessage = receive;
  wire.onerror = (error) => log.warn(`agent: ${error.message}`);
  void wire.start();
}
