import { setTimeout as delay } from 'node:timers/promises';
import type { RequestId } from '../../jsonrpc/messages.js';
import { streamDelayMs } from './backoff.js';
import { drain } from './bodies.js';
import type { ChannelHost } from './channel.js';
import type { StreamPosition } from './intake.js';
import type { RequestStream } from './listening.js';
import { brokenOff, isEventStream } from './problems.js';

const mostFailures = 3;

/** Requests the rest of a response stream. The call itself is not sent again. */
export type Resume = (id: RequestId, signal: AbortSignal, position: StreamPosition) => Promise<void>;

export function createResumption(host: ChannelHost, request: RequestStream): Resume {
  return async (id, signal, position) => {
    const isOver = () => signal.aborted || !host.isPending(id);
    let failures = 0;
    while (failures < mostFailures && position.lastEventId !== undefined) {
      await delay(streamDelayMs(failures, position.retryMs), undefined, { signal, ref: false }).catch(() => {});
      if (isOver()) return;
      const response = await request(position.lastEventId, signal).catch(() => undefined);
      if (response === undefined || !isEventStream(response)) {
        failures++;
        if (response !== undefined) drain(response.body);
        continue;
      }
      failures = 0;
      const { body } = response;
      await host.intake.events(body, position, () => void (isOver() && body.destroy())).catch(() => {});
      if (isOver()) return;
    }
    host.failed(id, brokenOff(host.url));
  };
}
