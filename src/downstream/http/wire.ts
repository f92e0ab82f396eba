import type { RemoteTarget } from '../../config/config.js';
import { hasAuthorization } from '../../config/values/authorization-header.js';
import { isRequest, type RequestId, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import { createGarbageLimit } from '../protocol/garbage-limit.js';
import type { HeaderList, LostMessage } from '../protocol/wire.js';
import { createAuthorizedNetwork, type LoginAccess } from './authorized-network.js';
import type { Channel, ChannelHost } from './channel.js';
import { createIntake } from './intake.js';
import { createNetwork, type NetworkOptions } from './network/network.js';
import type { HttpProblem } from './problems.js';
import { createSse } from './sse.js';
import { createStreamable } from './streamable.js';

/** Servers of the old transport say at once where messages are sent to. */
const maxFallbackMs = 10_000;

export { createArgumentMirror } from './argument-mirror.js';
export { shownUrl } from './network/network.js';

/** Receives what comes over HTTP. */
export interface HttpSink {
  line(bytes: Buffer): boolean;
  maxBytes(): number;
  keepsStart(): boolean;
  lost(bytes: number, message: LostMessage, problem: HttpProblem | undefined): void;
  ignored(text: string): void;
  isPending(id: RequestId): boolean;
  unanswered(id: RequestId, problem: HttpProblem): void;
  ended(problem: HttpProblem | undefined): void;
  /** The transport of a legacy server, once the handshake is over. */
  connectedBy(transport: 'http' | 'sse'): void;
}

export interface HttpWire {
  start(sink: HttpSink): void;
  send(message: RpcMessage, headers: HeaderList): void;
  setRevision(revision: string): void;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export interface HttpWireOptions {
  readonly target: RemoteTarget;
  readonly maxMessageBytes: number;
  /** An earlier run found that the server has only the transport of 2024-11-05. */
  readonly isKnownAsSse: boolean;
  readonly network: Pick<NetworkOptions, 'env' | 'certificates' | 'lookup'>;
  /** Undefined if there are no logins. An entry with the header Authorization has none, nor one that says so. */
  readonly logins?: LoginAccess | undefined;
}

/** MCP over HTTP. */
export function createHttpWire(options: HttpWireOptions): HttpWire {
  const { target, maxMessageBytes, isKnownAsSse, network: surroundings, logins } = options;
  const url = new URL(target.url);
  const plain = createNetwork({ configured: url, ownHeaders: target.headers.keys(), ...surroundings });
  const hasLogin = logins !== undefined && !hasAuthorization(target) && target.oauth?.grant !== 'none';
  const network = hasLogin ? createAuthorizedNetwork(plain, target, logins, surroundings) : plain;
  const garbage = createGarbageLimit();
  let sink: HttpSink | undefined;
  let isOver = false;
  let closing: Promise<void> | undefined;
  /** Kept until it is answered: an old server refuses it, and gets it by the other transport. */
  let initialize: RpcRequest | undefined;
  let transport: 'http' | 'sse' = 'http';
  let channel: Channel | undefined;

  const intake = createIntake({
    line: (bytes) => isOver || (sink?.line(bytes) ?? false),
    maxBytes: () => Math.min(maxMessageBytes, sink?.maxBytes() ?? 0),
    keepsStart: () => sink?.keepsStart() ?? false,
    tooLong({ tooLong, ...lost }) {
      const message = `its message of ${tooLong} bytes is over the limit maxMessageBytes (${maxMessageBytes})`;
      const problem = tooLong > maxMessageBytes ? ({ kind: 'too-large', message } as const) : undefined;
      sink?.lost(tooLong, lost, problem);
    },
    garbage(bytes) {
      sink?.ignored(`ignored an event of ${bytes} bytes: not a JSON-RPC message`);
      const count = garbage.count();
      if (count === undefined) return;
      end({ kind: 'crashed', message: `it sent ${count} events that are not JSON-RPC messages in a minute` });
    },
  });

  function end(problem: HttpProblem | undefined): void {
    if (isOver) return;
    isOver = true;
    sink?.ended(problem);
  }

  const host: ChannelHost = {
    url,
    headers: target.headers,
    network,
    intake,
    isPending: (id) => sink?.isPending(id) ?? false,
    failed(id, problem) {
      if (isOver) return;
      if (isRefusedInitialize(id, problem)) tryOther(problem);
      else sink?.unanswered(id, problem);
    },
    dropped: () => sink?.ignored('dropped an answer to a request of the server: too many wait to be sent'),
    ended: end,
  };

  function open(as: 'http' | 'sse', around: ChannelHost = host, onOpen = () => {}): void {
    transport = as;
    channel = as === 'sse' ? createSse(around, onOpen) : createStreamable(around);
  }

  function isRefusedInitialize(id: RequestId, { status = 0 }: HttpProblem): boolean {
    return target.transport === 'auto' && initialize?.id === id && status >= 400 && status < 500;
  }

  /** If the server does not have the other transport either, the first refusal says more. */
  function tryOther(refusal: HttpProblem): void {
    const message = initialize;
    if (message === undefined) return;
    initialize = undefined;
    let isOpen = transport === 'sse';
    const around = {
      ...host,
      failed: (id: RequestId, problem: HttpProblem) => host.failed(id, isOpen ? problem : refusal),
      ended: (problem: HttpProblem) => host.ended(isOpen ? problem : refusal),
    };
    void channel?.close();
    // A stream of Streamable HTTP looks the same, but for the event that says where messages are sent to.
    const late = setTimeout(() => around.failed(message.id, refusal), maxFallbackMs).unref();
    if (isOpen) clearTimeout(late);
    open(transport === 'sse' ? 'http' : 'sse', around, () => {
      isOpen = true;
      clearTimeout(late);
    });
    channel?.send(message, []);
  }

  return {
    start(to) {
      sink = to;
      open(target.transport === 'sse' || isKnownAsSse ? 'sse' : 'http');
    },

    send(message, headers) {
      if (isRequest(message) && message.method === 'initialize') initialize = message;
      channel?.send(message, headers);
    },

    setRevision(revision) {
      sink?.connectedBy(transport);
      channel?.setRevision(revision);
    },

    pause: () => intake.pause(),
    resume: () => intake.resume(),

    close() {
      end(undefined);
      closing ??= (channel?.close() ?? Promise.resolve()).finally(() => network.close());
      return closing;
    },
  };
}
