import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/config.js';
import { version } from '../version.js';
import type { Requests } from './requests.js';

const clientInfo = { name: 'mcp-workbench', version };
const capabilities = {};
const probeTimeoutMs = 10_000;
const firstModernVersion = '2026-07-28';

export interface Handshake {
  readonly instructions: string | undefined;
  readonly era: 'legacy' | 'modern';
}

interface HandshakeOptions {
  readonly protocol: ServerConfig['protocol'];
  readonly timeoutMs: number;
  readonly onToolsChanged: () => void;
  readonly onError: (error: Error) => void;
}

/** Agrees with a server on a protocol revision. Afterwards `requests` can be used in whichever it is. */
export async function shakeHands(requests: Requests, options: HandshakeOptions): Promise<Handshake> {
  const client = new Client(clientInfo, {
    capabilities,
    versionNegotiation: {
      mode: modeOf(options.protocol),
      probe: { timeoutMs: Math.min(probeTimeoutMs, options.timeoutMs) },
    },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onToolsChanged } },
  });
  client.onerror = options.onError;
  await client.connect(requests.transport, { timeout: options.timeoutMs });
  const revision = client.getNegotiatedProtocolVersion() ?? '';
  const era = revision >= firstModernVersion ? 'modern' : 'legacy';
  if (era === 'modern') {
    requests.setEnvelope({
      [PROTOCOL_VERSION_META_KEY]: revision,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    });
  }
  return { instructions: client.getInstructions(), era };
}

function modeOf(protocol: ServerConfig['protocol']): 'auto' | 'legacy' | { pin: string } {
  return protocol === '2026-07-28' ? { pin: protocol } : protocol;
}
