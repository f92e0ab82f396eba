import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { latestLegacyRevision, legacyRevisions, metaKeys, modernRevision } from '../../jsonrpc/revisions.js';
import { longestSoftware } from '../../limits.js';
import { resultWithin } from '../../platform/time-limit.js';
import { version } from '../../platform/version.js';
import { shorten } from '../../text/shorten.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { Approach, Era } from './era.js';
import { RefusedRequest, RpcError } from './failures.js';
import type { Requests } from './requests.js';
import { subscribe } from './subscription.js';
import { tasksExtension } from './tasks/extension.js';

const clientInfo = { name: 'mcp-workbench', version };
// A server that has not answered the probe by then gets `initialize`. A modern server that was only slow is still connected.
const probeTimeoutMs = 3_000;
// Where every request is answered, even one that the server does not understand, a late answer is only late.
const answeredProbeTimeoutMs = 20_000;

export interface Handshake {
  readonly instructions: string | undefined;
  /** The title and description that the server gives itself. */
  readonly about: string | undefined;
  readonly revision: string;
  /** The name and version that the server gives itself. */
  readonly software: string | undefined;
  readonly era: Era;
  /** Whether calls can be made as tasks. */
  readonly hasTasks: boolean;
  /** What goes into `_meta` of a request on behalf of an agent, together with what the agent put there. */
  metaFor(agent: Agent | undefined, given: JsonObject | undefined): JsonObject | undefined;
}

/** `isModern`: the server answered `server/discover` with 2026-07-28, in time or late. */
export type HandshakeOutcome =
  | { readonly is: 'agreed'; readonly handshake: Handshake; readonly isModern: boolean }
  | { readonly is: 'failed'; readonly error: unknown; readonly isModern: boolean };

interface HandshakeOptions {
  readonly timeoutMs: number;
  /** The agent that the server is started for: the server is offered its capabilities and no others. */
  readonly agent: Agent | undefined;
  /** Whether roots are among them. */
  readonly offersRoots: boolean;
  /** Whether every request gets a response of its own. */
  readonly answersEach: boolean;
  readonly warn: (message: string) => void;
  /** Changes may have been missed. */
  readonly toolsChanged: () => void;
}

/** Agrees with a server on a protocol revision. Afterwards `requests` works in whichever it is. */
export async function shakeHands(
  requests: Requests,
  approach: Approach,
  options: HandshakeOptions,
): Promise<HandshakeOutcome> {
  const discovery = approach === 'legacy' ? undefined : discover(requests, approach, options);
  try {
    const handshake = await agree(requests, approach, discovery, options);
    return { is: 'agreed', handshake, isModern: await hasSucceeded(discovery) };
  } catch (error) {
    return { is: 'failed', error, isModern: await hasSucceeded(discovery) };
  }
}

type Discovery = Promise<JsonObject | undefined> | undefined;

async function agree(
  requests: Requests,
  approach: Approach,
  discovery: Discovery,
  options: HandshakeOptions,
): Promise<Handshake> {
  // With nothing else to try, there is no reason to stop waiting early.
  const probeMs = options.answersEach ? answeredProbeTimeoutMs : probeTimeoutMs;
  const patienceMs = approach === 'probe' ? Math.min(probeMs, options.timeoutMs) : options.timeoutMs;
  const discovered = discovery && (await resultWithin(patienceMs, discovery));
  if (discovered !== undefined) return begin(requests, discovered, options);
  if (approach === 'modern') throw new Error(`the server does not support protocol revision ${modernRevision}`);
  return initialize(requests, options);
}

/** Asks whether the server supports 2026-07-28. Undefined: nothing indicates it. */
async function discover(
  requests: Requests,
  approach: Approach,
  options: HandshakeOptions,
): Promise<JsonObject | undefined> {
  const meta = envelopeOf(capabilitiesFor(options.agent, options));
  // Without a limit: a response that arrives after the fallback to `initialize` still shows the era.
  const ask = () => requests.request('server/discover', {}, { meta });
  try {
    const result = await ask().catch((error: unknown) => {
      // It refused the revision and lists it: behind a balancer, the next instance may be up to date.
      if (offeredBy(error).includes(modernRevision)) return ask();
      throw error;
    });
    return offersModern(result) ? result : undefined;
  } catch (error) {
    if (error instanceof RpcError) return refusal(error);
    // Legacy servers need not understand the request at all.
    if (approach === 'probe' && isNotUnderstood(error)) return undefined;
    throw error;
  }
}

/** It was refused, or the connection ended instead of a response. */
function isNotUnderstood(error: unknown): boolean {
  if (error instanceof RefusedRequest) return true;
  return error instanceof DownstreamFailure && error.kind === 'lost' && !(error instanceof NotSent);
}

/** Whether there is a result by now. */
async function hasSucceeded(discovery: Discovery): Promise<boolean> {
  const nothing = Promise.resolve(undefined);
  return (await Promise.race([discovery ?? nothing, nothing]).catch(() => undefined)) !== undefined;
}

function offersModern(result: unknown): result is JsonObject {
  const offered = isRecord(result) ? result['supportedVersions'] : undefined;
  return Array.isArray(offered) && offered.includes(modernRevision);
}

/** Legacy servers answer an unknown method with an error; one that is newer than the workbench lists the revisions it supports. */
function refusal(error: RpcError): undefined {
  const newer = offeredBy(error).filter((revision) => revision > modernRevision);
  if (newer.length === 0) return undefined;
  throw new Error(`the server supports only protocol revisions that the workbench does not: ${newer.join(', ')}`);
}

/** The revisions in the error of a server that refuses ours. */
function offeredBy(error: unknown): string[] {
  if (!(error instanceof RpcError) || error.code !== rpcCode.unsupportedProtocolVersion) return [];
  const offered = isRecord(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(offered) ? offered.filter((revision) => typeof revision === 'string') : [];
}

function begin(requests: Requests, discovered: JsonObject, options: HandshakeOptions): Handshake {
  requests.setEnvelope(envelopeOf({}));
  if (within(discovered, 'capabilities', 'tools', 'listChanged') === true) subscribe(requests, options);
  const serverInfo = within(discovered, '_meta', metaKeys.serverInfo);
  return {
    instructions: textOf(discovered['instructions']),
    about: aboutOf(serverInfo),
    revision: modernRevision,
    software: softwareOf(serverInfo),
    era: 'modern',
    hasTasks: isRecord(within(discovered, 'capabilities', 'extensions', tasksExtension)),
    metaFor: (agent, given) => ({ ...given, [metaKeys.clientCapabilities]: capabilitiesFor(agent, options) }),
  };
}

async function initialize(requests: Requests, options: HandshakeOptions): Promise<Handshake> {
  const { agent, timeoutMs } = options;
  const params = { protocolVersion: latestLegacyRevision, capabilities: capabilitiesFor(agent, options), clientInfo };
  const result = await requests.request('initialize', params, { timeoutMs });
  const agreed = isRecord(result) ? result['protocolVersion'] : undefined;
  if (!isRecord(result) || typeof agreed !== 'string')
    throw new Error('its initialize response has no protocolVersion');
  if (!legacyRevisions.has(agreed))
    throw new Error(`it requires protocol revision ${agreed}, which the workbench does not support`);
  requests.setRevision(agreed);
  requests.notify('notifications/initialized');
  return {
    instructions: textOf(result['instructions']),
    about: aboutOf(result['serverInfo']),
    revision: agreed,
    software: softwareOf(result['serverInfo']),
    era: 'legacy',
    hasTasks: isRecord(within(result, 'capabilities', 'tasks', 'requests', 'tools', 'call')),
    metaFor: (_, given) => given,
  };
}

function within(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((outer, key) => (isRecord(outer) ? outer[key] : undefined), value);
}

function envelopeOf(capabilities: JsonObject): JsonObject {
  return {
    [metaKeys.protocolVersion]: modernRevision,
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: capabilities,
  };
}

/** The requests that a server may send to this agent. The details of each are forwarded unchanged. */
export function capabilitiesFor(
  agent: Agent | undefined,
  { offersRoots }: Pick<HandshakeOptions, 'offersRoots'>,
): JsonObject {
  const { elicitation, sampling, roots } = agent?.capabilities ?? {};
  return {
    ...(isRecord(elicitation) && { elicitation }),
    ...(isRecord(sampling) && { sampling }),
    ...(offersRoots && isRecord(roots) && { roots }),
  };
}

function aboutOf(serverInfo: unknown): string | undefined {
  const { title, description } = isRecord(serverInfo) ? serverInfo : {};
  return [textOf(title), textOf(description)].filter(Boolean).join('. ') || undefined;
}

function softwareOf(serverInfo: unknown): string | undefined {
  const { name, version: own } = isRecord(serverInfo) ? serverInfo : {};
  const text = [textOf(name), textOf(own)].filter(Boolean).join(' ');
  return text === '' ? undefined : shorten(text, longestSoftware);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
