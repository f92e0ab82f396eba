import type { RequestId, RpcMessage } from '../../jsonrpc/messages.js';
import type { HeaderList } from '../protocol/wire.js';
import type { AuthorizedNetwork } from './authorized-network.js';
import type { Intake } from './intake.js';
import type { HttpProblem } from './problems.js';

/** One of the two HTTP transports of MCP. */
export interface Channel {
  send(message: RpcMessage, headers: HeaderList): void;
  setRevision(revision: string): void;
  /** Ends the session on the other side. */
  close(): Promise<void>;
}

/** What a channel is made of, and where it reports. */
export interface ChannelHost {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly network: Pick<AuthorizedNetwork, 'request'>;
  readonly intake: Intake;
  /** Whether the request waits for its response. */
  isPending(id: RequestId): boolean;
  failed(id: RequestId, problem: HttpProblem): void;
  /** A message of ours that the server does not get. */
  dropped(): void;
  /** The connection is over. */
  ended(problem: HttpProblem): void;
}
