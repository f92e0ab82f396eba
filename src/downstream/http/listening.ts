import { streamDelayMs } from './backoff.js';
import { drain } from './bodies.js';
import type { Intake, StreamPosition } from './intake.js';
import type { HttpResponse } from './network/network.js';
import { isEventStream } from './problems.js';

const toolsChanged = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** Requests a stream, or what comes in it after an event. Fails if there is no response. */
export type RequestStream = (lastEventId: string | undefined, signal?: AbortSignal) => Promise<HttpResponse>;

/** The stream of a legacy server for messages that belong to no request. It is optional, and requested again when it ends. */
export interface Listening {
  open(): void;
  stop(): void;
  /** Resolves when the first request for the stream is answered, or has failed. */
  readonly answered: Promise<void>;
}

export function createListening(intake: Intake, request: RequestStream): Listening {
  const position: StreamPosition = {};
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let hasListened = false;
  let setAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    setAnswered = resolve;
  });

  async function listen(): Promise<void> {
    const response = await request(position.lastEventId).catch(() => undefined);
    setAnswered();
    if (response === undefined) return again();
    const { status, body } = response;
    if (isOver || !isEventStream(response)) {
      drain(body);
      if (status >= 500 || status === 429) again();
      return;
    }
    // Without ids the server cannot send what was missed in between.
    if (hasListened && position.lastEventId === undefined) intake.message({ bytes: Buffer.from(toolsChanged) });
    hasListened = true;
    const onEvent = () => {
      failures = 0;
    };
    // Why it ended does not matter: no request waits for it.
    await intake.events(body, position, onEvent).catch(() => {});
    again();
  }

  function again(): void {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void listen(), streamDelayMs(failures++, position.retryMs)).unref();
  }

  return {
    open: () => void listen(),
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
    answered,
  };
}
