import type { ServerConfig } from '../../config/config.js';
import { isRecord } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { latestLegacyRevision, legacyRevisions, metaKeys, modernRevision } from '../../jsonrpc/revisions.js';
import { version } from '../../platform/version.js';
import type { Agent } from '../../workbench/ports/agent.js';
import { type Requests, RpcError } from './requests.js';

const clientInfo = { name: 'mcp-workbench', version };
// A server that does not answer the probe does not know it. One that was only slow is served all the same.
const probeTimeoutMs = 3_000;

type Params = Readonly<Record<string, unknown>>;

export interface Handshake {
  readonly instructions: string | undefined;
  readonly era: 'legacy' | 'modern';
  /** What goes into `_meta` of a request on behalf of an agent, with what the agent put there. */
  metaFor(agent: Agent | undefined, given: Params | undefined): Params | undefined;
}

interface HandshakeOptions {
  readonly protocol: ServerConfig['protocol'];
  readonly timeoutMs: number;
  /** For whom the server is started: it is offered what this agent can do, and no more. */
  readonly agent: Agent | undefined;
  /** The server has shown that it knows 2026-07-28, perhaps too late. */
  readonly onModern: () => void;
  readonly warn: (message: string) => void;
}

/** Agrees with a server on a protocol revision. Afterwards `requests` can be used in whichever it is. */
export async function shakeHands(requests: Requests, options: HandshakeOptions): Promise<Handshake> {
  if (options.protocol === 'legacy') return initialize(requests, options);
  const discovered = await discover(requests, options);
  if (discovered !== undefined) return begin(requests, discovered, options.warn);
  if (options.protocol === 'auto') return initialize(requests, options);
  throw new Error(`the server does not offer revision ${modernRevision}`);
}

/** Asks whether the server knows 2026-07-28. Undefined: it shows no sign of it. */
async function discover(requests: Requests, options: HandshakeOptions): Promise<Params | undefined> {
  const meta = envelopeOf(capabilitiesOf(options.agent));
  // Without a limit: an answer that comes after we went on still tells what the server speaks.
  const answer = requests.request('server/discover', {}, { meta }).then(
    (result) => {
      const discovered = isModern(result) ? result : undefined;
      if (discovered !== undefined) options.onModern();
      return discovered;
    },
    (error: unknown) => {
      if (error instanceof RpcError) return refusal(error);
      throw error;
    },
  );
  answer.catch(() => {});
  // Where there is nothing else to try, there is no reason to stop waiting.
  const patienceMs = options.protocol === 'auto' ? Math.min(probeTimeoutMs, options.timeoutMs) : options.timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}

function isModern(result: unknown): result is Params {
  const offered = isRecord(result) ? result['supportedVersions'] : undefined;
  return Array.isArray(offered) && offered.includes(modernRevision);
}

/** An error is what older servers answer to a method they do not know; a newer one says which revisions it wants. */
function refusal({ code, data }: RpcError): undefined {
  const offered = isRecord(data) ? data['supported'] : undefined;
  if (code !== rpcCode.unsupportedProtocolVersion || !Array.isArray(offered)) return undefined;
  const newer = offered.filter((revision) => typeof revision === 'string' && revision >= modernRevision);
  if (newer.length === 0) return undefined;
  throw new Error(`the server speaks only revisions that the workbench does not know: ${newer.join(', ')}`);
}

function begin(requests: Requests, discovered: Params, warn: HandshakeOptions['warn']): Handshake {
  requests.setEnvelope(envelopeOf({}));
  const tools = isRecord(discovered['capabilities']) ? discovered['capabilities']['tools'] : undefined;
  if (isRecord(tools) && tools['listChanged'] === true) {
    // Open as long as the connection is. Changes come as notifications; its answer would only say that no more will come.
    const listening = requests.request('subscriptions/listen', { notifications: { toolsListChanged: true } }, {});
    listening.catch((error: unknown) => {
      if (error instanceof RpcError) warn(`it does not tell when its tools change: ${error.message}`);
    });
  }
  return {
    instructions: textOf(discovered['instructions']),
    era: 'modern',
    metaFor: (agent, given) => ({ ...given, [metaKeys.clientCapabilities]: capabilitiesOf(agent) }),
  };
}

async function initialize(requests: Requests, { agent, timeoutMs }: HandshakeOptions): Promise<Handshake> {
  const params = { protocolVersion: latestLegacyRevision, capabilities: capabilitiesOf(agent), clientInfo };
  const result = await requests.request('initialize', params, { timeoutMs });
  const agreed = isRecord(result) ? result['protocolVersion'] : undefined;
  if (!isRecord(result) || typeof agreed !== 'string') throw new Error('its answer to initialize names no revision');
  if (!legacyRevisions.has(agreed)) throw new Error(`it wants revision ${agreed}, which the workbench does not know`);
  requests.notify('notifications/initialized');
  return { instructions: textOf(result['instructions']), era: 'legacy', metaFor: (_, given) => given };
}

function envelopeOf(capabilities: Params): Params {
  return {
    [metaKeys.protocolVersion]: modernRevision,
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: capabilities,
  };
}

/** What a server may ask of this agent. What is in each is between the two. */
function capabilitiesOf(agent: Agent | undefined): Params {
  const { elicitation, sampling, roots } = agent?.capabilities ?? {};
  return {
    ...(isRecord(elicitation) && { elicitation }),
    ...(isRecord(sampling) && { sampling }),
    // Not its `listChanged`: that notice is not passed on.
    ...(isRecord(roots) && { roots: {} }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
