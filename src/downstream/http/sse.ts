import { setMaxListeners } from 'node:events';
import { hasAuthorization } from '../../config/values/authorization-header.js';
import { isRequest, type RequestId, type RpcMessage } from '../../jsonrpc/messages.js';
import type { HeaderList } from '../protocol/wire.js';
import { createAnswers } from './answers.js';
import { drain, textOf } from './bodies.js';
import type { Channel, ChannelHost } from './channel.js';
import type { HttpResponse } from './network/network.js';
import {
  brokenOff,
  HttpFailure,
  type HttpProblem,
  isOk,
  mediaType,
  problemFrom,
  problemOf,
  sessionForgotten,
  unreachable,
  wrongContent,
} from './problems.js';
import { composeHeaders } from './request-headers.js';

/**
 * The transport of 2024-11-05: all that the server sends comes in one stream of events, whose first one says where messages are
 * sent to.
 */
export function createSse(host: ChannelHost, onOpen: () => void): Channel {
  const abort = new AbortController();
  // Every message listens to it; Node.js warns about more than ten.
  setMaxListeners(0, abort.signal);
  /** Requests that may be pending. */
  const sent = new Set<RequestId>();
  let isOpen = false;
  let revision: string | undefined;
  const answers = createAnswers(() => host.dropped());
  const endpoint = open();
  // Reported by every message that waits for it.
  endpoint.catch(() => {});

  async function request(url: URL, method: 'GET' | 'POST', own: HeaderList, body?: string): Promise<HttpResponse> {
    const headers = composeHeaders(host.headers, [['mcp-protocol-version', revision], ...own]);
    const response = await host.network.request({ url, method, headers, body, signal: abort.signal });
    if (isOk(response)) return response;
    const text = await textOf(response.body);
    const isForgotten = method === 'POST' && response.status === 404;
    throw new HttpFailure(
      isForgotten ? sessionForgotten(response.url) : problemOf(response, text, hasAuthorization(host)),
    );
  }

  async function open(): Promise<URL> {
    const response = await request(host.url, 'GET', [['accept', 'text/event-stream']]);
    if (mediaType(response.headers) !== 'text/event-stream') {
      response.body.destroy();
      throw new HttpFailure(wrongContent(response));
    }
    const url = new URL(await new Promise<string>((resolve) => void read(response, resolve)), host.url);
    if (url.origin !== host.url.origin) {
      throw new Error(`Endpoint origin does not match connection origin: ${url.origin}`);
    }
    isOpen = true;
    onOpen();
    return url;
  }

  /** `onEndpoint`: only the first counts. */
  async function read({ body, url }: HttpResponse, onEndpoint: (data: string) => void): Promise<void> {
    const failure: unknown = await host.intake
      .events(body, {}, (name, data) => {
        if (name === 'endpoint' && 'bytes' in data) onEndpoint(data.bytes.toString('utf8'));
      })
      .catch((error: unknown) => error);
    if (!abort.signal.aborted) host.ended(brokenOff(url, failure));
  }

  function failed(id: RequestId, reason: HttpProblem): void {
    // Calls that wait for a response in the stream are not given up because another could not be sent.
    const isAlone = [...sent].every((other) => other === id || !host.isPending(other));
    const isGone = reason.kind === 'forgotten' || (reason.isUnsent === true && isAlone);
    host.failed(id, isGone || !isOpen ? reason : { ...reason, ...(reason.isUnsent && unreachable) });
    if (isGone && isOpen) host.ended(reason);
  }

  async function deliver(message: RpcMessage): Promise<void> {
    const own = [['content-type', 'application/json']] as const;
    const { body } = await request(await endpoint, 'POST', own, JSON.stringify(message));
    drain(body);
  }

  return {
    send(message) {
      for (const id of sent) if (!host.isPending(id)) sent.delete(id);
      // One that is not taken has its connection until the end of this one.
      if (!isRequest(message)) answers.send({ deliver: () => deliver(message).catch(() => {}), giveUp() {} });
      else {
        sent.add(message.id);
        deliver(message).catch((error: unknown) => {
          if (!abort.signal.aborted) failed(message.id, problemFrom(error, host.url));
        });
      }
    },
    setRevision(agreed) {
      revision = agreed;
    },
    async close() {
      abort.abort();
    },
  };
}
