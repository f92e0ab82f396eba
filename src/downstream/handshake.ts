import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  type ClientCapabilities,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/config.js';
import { isRecord } from '../json.js';
import { version } from '../version.js';
import type { Agent } from '../workbench/downstream.js';
import type { Questions } from './questions.js';
import type { Requests } from './requests.js';

const clientInfo = { name: 'mcp-workbench', version };
// A server that does not answer the probe does not know it. One that was only slow is served all the same.
const probeTimeoutMs = 3_000;
const firstModernVersion = '2026-07-28';

export interface Handshake {
  readonly instructions: string | undefined;
  readonly era: 'legacy' | 'modern';
  /** What goes into `_meta` of a request on behalf of an agent. */
  metaFor(agent: Agent | undefined): Readonly<Record<string, unknown>>;
}

interface HandshakeOptions {
  readonly protocol: ServerConfig['protocol'];
  readonly timeoutMs: number;
  /** For whom the server is started: it is offered what this agent can do, and no more. */
  readonly agent: Agent | undefined;
  readonly questions: Questions;
  readonly onToolsChanged: () => void;
  readonly onError: (error: Error) => void;
}

/** Agrees with a server on a protocol revision. Afterwards `requests` can be used in whichever it is. */
export async function shakeHands(requests: Requests, options: HandshakeOptions): Promise<Handshake> {
  const client = new Client(clientInfo, {
    capabilities: capabilitiesOf(options.agent),
    versionNegotiation: {
      mode: modeOf(options.protocol),
      // Where there is nothing else to try, there is no reason to stop waiting.
      probe: {
        timeoutMs: options.protocol === 'auto' ? Math.min(probeTimeoutMs, options.timeoutMs) : options.timeoutMs,
      },
    },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onToolsChanged } },
  });
  client.onerror = options.onError;
  // Not setRequestHandler: that would validate the answer and drop every field that the SDK does not know.
  client.fallbackRequestHandler = ({ method, params }, { mcpReq }) =>
    options.questions.ask({ method, ...(isRecord(params) && { params }) }, mcpReq.signal);
  await client.connect(requests.transport, { timeout: options.timeoutMs });
  const revision = client.getNegotiatedProtocolVersion() ?? '';
  const instructions = client.getInstructions();
  if (revision < firstModernVersion) return { instructions, era: 'legacy', metaFor: () => ({}) };
  requests.setEnvelope({
    [PROTOCOL_VERSION_META_KEY]: revision,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  });
  const metaFor = (agent: Agent | undefined) => ({ [CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(agent) });
  return { instructions, era: 'modern', metaFor };
}

function modeOf(protocol: ServerConfig['protocol']): 'auto' | 'legacy' | { pin: string } {
  return protocol === '2026-07-28' ? { pin: protocol } : protocol;
}

function capabilitiesOf(agent: Agent | undefined): ClientCapabilities {
  const { elicitation, sampling, roots } = agent?.capabilities ?? {};
  const offered: unknown = {
    ...(isRecord(elicitation) && { elicitation }),
    ...(isRecord(sampling) && { sampling }),
    // Not its `listChanged`: that notice is not passed on.
    ...(isRecord(roots) && { roots: {} }),
  };
  return areCapabilities(offered) ? offered : {};
}

// They come from a client that speaks the same protocol; what is in them is between it and the server.
function areCapabilities(value: unknown): value is ClientCapabilities {
  return isRecord(value);
}
