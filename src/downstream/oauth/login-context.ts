import type { FetchLike } from '@modelcontextprotocol/client';
import type { RemoteTarget } from '../../config/config.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import { createNetwork, type Network, type NetworkOptions } from '../http/network/network.js';
import { createFlowFetch } from './flow-fetch.js';
import type { LoginFile } from './login-file.js';
import type { LoginKey } from './login-path.js';

/** What all that concerns the login at one server works with. */
export interface LoginContext {
  readonly key: LoginKey;
  readonly target: RemoteTarget;
  readonly file: LoginFile;
  readonly network: Pick<NetworkOptions, 'env' | 'certificates' | 'lookup' | 'connect'>;
  /** Replaces the secrets of the server's entry: its URL may contain some. */
  readonly mask: ReplaceAny;
  /** Secrets that were read or issued: they must not be in any text. */
  learned(secrets: readonly string[]): void;
}

export interface Flow {
  readonly request: Network['request'];
  readonly fetch: FetchLike;
  /** Why the user must not be sent to a URL. */
  problemOf(url: URL): string | undefined;
  close(): void;
}

/**
 * The network for one flow. Its first request goes to the server itself: whether that is on this computer, in a private
 * network or public decides which addresses it may name.
 */
export function openFlow({ target, network }: LoginContext, signal: AbortSignal): Flow {
  const opened = createNetwork({ configured: new URL(target.url), ownHeaders: target.headers.keys(), ...network });
  return {
    request: (wanted) => opened.request(wanted),
    fetch: createFlowFetch(opened, signal),
    problemOf(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it is not http';
      // It looks like the host.
      if (url.username !== '' || url.password !== '') return 'it contains a user name or password';
      return opened.problemOf(url);
    },
    close: () => opened.close(),
  };
}

/** Runs `work` with a flow of its own. */
export async function withFlow<T>(
  context: LoginContext,
  signal: AbortSignal,
  work: (flow: Flow) => Promise<T>,
): Promise<T> {
  const flow = openFlow(context, signal);
  try {
    return await work(flow);
  } finally {
    flow.close();
  }
}
