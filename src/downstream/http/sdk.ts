import type { JSONRPCMessage, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import type { ChannelHost } from './channel.js';

/** The SDK only writes it as JSON. */
export function sdkMessage(message: RpcMessage): JSONRPCMessage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its type knows only the fields of the specification
  return message as JSONRPCMessage;
}

/** Redirects are followed by the network, which checks where they lead. */
export function sdkOptions({ headers }: ChannelHost) {
  return {
    requestInit: { headers: Object.fromEntries(headers) },
    redirectPolicy: 'follow',
  } as const satisfies StreamableHTTPClientTransportOptions;
}
