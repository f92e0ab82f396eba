import { setMaxListeners } from 'node:events';
import { SSEClientTransport } from '@modelcontextprotocol/client';
import { hasAuthorization } from '../../config/values/authorization-header.js';
import { isRequest, type RequestId, type RpcMessage } from '../../jsonrpc/messages.js';
import { createAnswers } from './answers.js';
import { drain, textOf } from './bodies.js';
import type { Channel, ChannelHost } from './channel.js';
import type { HttpResponse } from './network/network.js';
import {
  brokenOff,
  HttpFailure,
  type HttpProblem,
  mediaType,
  problemFrom,
  problemOf,
  sessionForgotten,
  unreachable,
  wrongContent,
} from './problems.js';
import { sdkMessage, sdkOptions } from './sdk.js';

/**
 * The transport of 2024-11-05: all that the server sends comes in one stream of events. The SDK's transport makes the requests
 * and gets nothing of the stream but the event that says where messages are sent to.
 */
export function createSse(host: ChannelHost, onOpen: () => void): Channel {
  const abort = new AbortController();
  // Every message listens to it; Node.js warns about more than ten.
  setMaxListeners(0, abort.signal);
  /** Requests that may be pending. */
  const sent = new Set<RequestId>();
  let isOpen = false;
  const answers = createAnswers(() => host.dropped());
  let problem: HttpProblem | undefined;
  // oxlint-disable-next-line typescript/no-deprecated -- for servers that have nothing else
  const transport = new SSEClientTransport(host.url, {
    fetch: (url, init) => (init?.method === 'POST' ? post(new URL(url), init) : open(new URL(url), init)),
    ...sdkOptions(host),
  });

  async function request(url: URL, method: 'GET' | 'POST', { headers, body }: RequestInit): Promise<HttpResponse> {
    const response = await host.network.request({
      url,
      method,
      headers: new Headers(headers),
      body: typeof body === 'string' ? body : undefined,
      signal: abort.signal,
    });
    if (response.status >= 200 && response.status < 300) return response;
    const text = await textOf(response.body);
    const isForgotten = method === 'POST' && response.status === 404;
    throw new HttpFailure(
      isForgotten ? sessionForgotten(response.url) : problemOf(response, text, hasAuthorization(host)),
    );
  }

  async function post(url: URL, init: RequestInit): Promise<Response> {
    const { body } = await request(url, 'POST', init);
    drain(body);
    return new Response(null, { status: 202 });
  }

  async function open(url: URL, init: RequestInit = {}): Promise<Response> {
    try {
      // It would connect again by itself, without the session.
      if (problem !== undefined) throw new HttpFailure(problem);
      const response = await request(url, 'GET', init);
      if (mediaType(response.headers) === 'text/event-stream') return streamFor(response);
      response.body.destroy();
      throw new HttpFailure(wrongContent(response));
    } catch (error) {
      problem ??= problemFrom(error, host.url);
      throw error;
    }
  }

  function streamFor(response: HttpResponse): Response {
    const endpoint = new TransformStream<Uint8Array, Uint8Array>();
    const writer = endpoint.writable.getWriter();
    void read(response, (data) => writer.write(Buffer.from(`event: endpoint\ndata: ${data}\n\n`)));
    return new Response(endpoint.readable, { headers: { 'content-type': 'text/event-stream' } });
  }

  async function read({ body, url }: HttpResponse, onEndpoint: (data: string) => Promise<void>): Promise<void> {
    let hasEndpoint = false;
    const events = {
      event(name: string, data: Parameters<typeof host.intake.message>[0]) {
        if (name === 'message') host.intake.message(data);
        // Only the first: the SDK would take another one on any origin.
        if (name !== 'endpoint' || hasEndpoint || !('bytes' in data)) return;
        hasEndpoint = true;
        void onEndpoint(data.bytes.toString('utf8')).catch(() => {});
      },
      id() {},
      retry() {},
    };
    const failure: unknown = await host.intake.events(body, events).catch((error: unknown) => error);
    if (!abort.signal.aborted) end(brokenOff(url, failure));
  }

  function failed(id: RequestId, reason: HttpProblem): void {
    // Calls that wait for a response in the stream are not given up because another could not be sent.
    const isAlone = [...sent].every((other) => other === id || !host.isPending(other));
    const isGone = reason.kind === 'forgotten' || (reason.isUnsent === true && isAlone);
    host.failed(id, isGone || !isOpen ? reason : { ...reason, ...(reason.isUnsent && unreachable) });
    if (isGone && isOpen) end(reason);
  }

  function end(reason: HttpProblem): void {
    problem ??= reason;
    void transport.close();
    host.ended(problem);
  }

  const ready = transport.start().then(
    () => {
      isOpen = true;
      onOpen();
    },
    (error: unknown) => {
      void transport.close();
      throw new HttpFailure(problem ?? problemFrom(error, host.url));
    },
  );
  // Reported by every message that waits for it.
  ready.catch(() => {});

  async function deliver(message: RpcMessage): Promise<void> {
    await ready;
    await transport.send(sdkMessage(message));
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
    setRevision: (revision) => transport.setProtocolVersion(revision),
    async close() {
      abort.abort();
      await transport.close();
    },
  };
}
