import { streamDelayMs } from './backoff.js';
import { drain } from './bodies.js';
import type { Intake } from './intake.js';
import type { HttpResponse } from './network/network.js';
import { mediaType } from './problems.js';

const toolsChanged = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** The stream of a legacy server for messages that belong to no request. It is optional, and requested again when it ends. */
export interface Listening {
  /** The response to a request for the stream. */
  take(response: HttpResponse): void;
  /** There was no response. */
  failed(): void;
  stop(): void;
}

/** `open` requests the stream; its response arrives by `take`. */
export function createListening(intake: Intake, open: (lastEventId: string | undefined) => Promise<void>): Listening {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let failures = 0;
  let hasListened = false;

  async function listen({ body }: HttpResponse): Promise<void> {
    // Without ids the server cannot send what was missed in between.
    if (hasListened && lastEventId === undefined) intake.message({ bytes: Buffer.from(toolsChanged) });
    hasListened = true;
    const events = {
      event(name: string, data: Parameters<Intake['message']>[0]) {
        failures = 0;
        if (name === 'message') intake.message(data);
      },
      id(id: string) {
        lastEventId = id;
      },
      retry(ms: number) {
        retryMs = ms;
      },
    };
    // Why it ended does not matter: no request waits for it.
    await intake.events(body, events).catch(() => {});
    again();
  }

  function again(): void {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void open(lastEventId).catch(() => {}), streamDelayMs(failures++, retryMs)).unref();
  }

  return {
    take(response) {
      const { status, headers, body } = response;
      if (isOver || status !== 200 || mediaType(headers) !== 'text/event-stream') {
        drain(body);
        if (status >= 500 || status === 429) again();
        return;
      }
      void listen(response);
    },
    failed: again,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
