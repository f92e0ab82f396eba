import type { ServerConfig, ServerLimits } from '../../config/config.js';
import { DownstreamFailure, type FailureKind, failureOf, StartFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { isRecord } from '../../jsonrpc/json.js';
import { longestInstructions, maxRootsWaitMs } from '../../limits.js';
import { omissionText } from '../../results/omissions.js';
import { withoutHidden } from '../../text/hidden.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import type { Asker } from '../../workbench/asking/asked-question.js';
import type { Agent, Valve } from '../../workbench/ports/agent.js';
import type { CallOptions, ConnectionListener, Downstream } from '../../workbench/ports/downstream.js';
import type { Admits } from './admit-tools.js';
import { never } from './deadlines.js';
import type { Approach, Finding } from './era.js';
import { RefusedRequest } from './failures.js';
import { createFirstRoots, type FirstRoots } from './first-roots.js';
import { type Handshake, type HandshakeOutcome, shakeHands } from './handshake.js';
import { createIncoming } from './incoming.js';
import type { Journal } from './journal.js';
import type { RequestOptions } from './pending-requests.js';
import { createQuestions, type Questions, type Sharing } from './questions.js';
import { createRequests, type Requests } from './requests.js';
import { createToolCalls } from './tool-calls.js';
import { listTools, readResource } from './tools.js';
import type { HeaderList, Wire } from './wire.js';

/** Which server to connect to, for which agent, and where events are reported. */
export interface ConnectionRequest {
  readonly server: ServerConfig;
  readonly listener: ConnectionListener;
  readonly signal: AbortSignal;
  readonly agent: Agent | undefined;
  readonly journal: Journal;
  /** For a connection that several sessions may use. `agent` then stands for all of them. */
  readonly sharing?: Sharing | undefined;
}

export type ConnectionOutcome =
  | { readonly is: 'connected'; readonly downstream: Downstream; readonly finding: Finding }
  | { readonly is: 'failed'; readonly failure: StartFailure; readonly finding: Finding };

/** Makes one attempt to connect over a wire, which belongs to the connection from now on. */
export async function openConnection(
  wire: Wire,
  approach: Approach,
  { server, listener, signal, agent, journal, sharing }: ConnectionRequest,
): Promise<ConnectionOutcome> {
  let failure: DownstreamFailure | undefined;
  let isConnected = false;
  let firstRoots: FirstRoots | undefined;
  /** Some servers ask together with their answer to the handshake. */
  let earlyRoots: Promise<unknown> | undefined;
  const watched: (() => void)[] = [];
  const incoming = createIncoming({
    questions: {
      ask(question, asked) {
        const answer = questions.ask(question, asked);
        if (question.method === 'roots/list') {
          earlyRoots ??= answer;
          firstRoots?.asked(answer);
        }
        return answer;
      },
    },
    send: (message) => wire.send(message),
    onToolsChanged: () => listener.toolsChanged(),
  });
  const requests = createRequests(wire, journal, {
    incoming: incoming.receive,
    ended(reason) {
      for (const unwatch of watched) unwatch();
      incoming.end(reason);
      failure = reason;
      journal.note(reason === undefined ? 'stopped' : reason.message);
      if (reason !== undefined && isConnected) listener.ended(reason);
    },
  });
  const unwatchFlow = agent?.flow?.watch(createValve(wire, requests));
  if (unwatchFlow !== undefined) watched.push(unwatchFlow);
  const asker = { toolbox: server.toolbox, server: server.name, offersRoots: server.roots };
  const questions = createQuestions(asker, agent, () => requests.pauseClocks(), sharing);
  // A failure to close is reported by the `cleanup` promise.
  const stop = () => void wire.close().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const outcome = await shakeHands(requests, approach, {
    // Each session that waits for a shared one has a limit of its own, and the last one to leave ends it.
    timeoutMs: sharing === undefined ? server.limits.startTimeoutMs : never,
    agent,
    offersRoots: server.roots,
    answersEach: wire.answersEach === true,
    warn: journal.warn,
    toolsChanged: () => listener.toolsChanged(),
  });
  signal.removeEventListener('abort', stop);

  const { isModern } = outcome;
  if (outcome.is === 'failed' || failure !== undefined || signal.aborted) {
    const reason = signal.aborted ? failureOf(signal) : (failure ?? handshakeFailed(outcome, journal));
    // The end of a connection has been noted already.
    if (failure === undefined) journal.note(reason.message);
    // A probe that was answered has tried both eras.
    const isDecided = wire.answersEach === true && approach === 'probe';
    const mayDependOnEra = !isDecided && (reason.kind === 'crashed' || reason.kind === 'unreachable');
    const finding = { connectedAs: undefined, isModern, mayDependOnEra };
    return { is: 'failed', failure: new StartFailure(reason, wire.close()), finding };
  }
  isConnected = true;
  const { handshake } = outcome;
  journal.note(`connected (protocol ${handshake.revision})`);
  // A modern server asks for roots within its calls.
  if (server.roots && handshake.era === 'legacy' && isRecord(agent?.capabilities['roots'])) {
    firstRoots = createFirstRoots(() => requests.request('ping', {}, { timeoutMs: maxRootsWaitMs }));
    if (earlyRoots !== undefined) firstRoots.asked(earlyRoots);
    const unwatchRoots = agent.onRootsChanged?.(() => requests.notify('notifications/roots/list_changed'));
    if (unwatchRoots !== undefined) watched.push(unwatchRoots);
  }
  const isShared = sharing !== undefined;
  const connected = { requests, questions, handshake, journal, firstRoots, isShared, asker };
  const downstream = createDownstream(server.limits, wire, connected);
  return { is: 'connected', downstream, finding: { connectedAs: handshake.era, isModern, mayDependOnEra: false } };
}

/** An answer may have come that is not read while the valve is closed, so the limits of requests are paused too. */
function createValve(wire: Wire, requests: Requests): Valve {
  let resumeClocks: (() => void) | undefined;
  return {
    pause() {
      wire.pause();
      resumeClocks ??= requests.pauseClocks();
    },
    resume() {
      resumeClocks?.();
      resumeClocks = undefined;
      wire.resume();
    },
  };
}

/** The request did not get as far as the handshake. */
const speaksForItself: ReadonlySet<FailureKind> = new Set(['lost', 'unauthorized', 'wait']);

function handshakeFailed(outcome: HandshakeOutcome, { mask, file }: Journal): DownstreamFailure {
  const cause = outcome.is === 'failed' ? outcome.error : undefined;
  if (cause instanceof RefusedRequest) return refusedHandshake(cause);
  if (cause instanceof DownstreamFailure && speaksForItself.has(cause.kind)) return cause;
  const text = `the MCP handshake failed: ${mask(messageOf(cause))}`;
  return new DownstreamFailure('unreachable', text, { cause, log: file });
}

/** Whatever refused it, there is no MCP server. A failure of the network keeps its kind. */
function refusedHandshake(cause: RefusedRequest): DownstreamFailure {
  const kind = cause.kind === 'protocol' ? 'unreachable' : cause.kind;
  return new DownstreamFailure(kind, cause.message, { cause });
}

interface Connected {
  readonly requests: Requests;
  readonly questions: Questions;
  readonly handshake: Handshake;
  readonly journal: Journal;
  readonly firstRoots: FirstRoots | undefined;
  readonly isShared: boolean;
  readonly asker: Asker & { readonly offersRoots: boolean };
}

const callSettings = { idle: 'callTimeoutMs', total: 'callTotalTimeoutMs', bytes: 'maxResultBytes' };

function createDownstream(given: ServerLimits, wire: Wire, connected: Connected): Downstream {
  let limits = given;
  const { requests, questions, handshake, journal, firstRoots, isShared, asker } = connected;
  /** Sends a request during which the agent can be asked. */
  const send = <T>({ agent, signal, budget }: CallOptions, request: () => PromiseLike<T>): PromiseLike<T> =>
    questions.during(
      agent,
      () => {
        const held = firstRoots?.hold(signal);
        return held === undefined ? request() : held.then(request);
      },
      budget,
    );
  const requestOptions = (
    { signal, onProgress, agent, meta, limits: own = limits }: CallOptions,
    headers?: HeaderList,
  ): RequestOptions => ({
    timeoutMs: own.callTimeoutMs,
    totalTimeoutMs: own.callTotalTimeoutMs,
    maxBytes: own.maxResultBytes,
    settings: callSettings,
    meta: handshake.metaFor(agent, meta),
    wantsProgress: true,
    sizes: { sent: undefined, received: undefined },
    signal,
    onProgress,
    headers,
  });
  const mirror = handshake.era === 'modern' ? wire.createMirror?.(journal.warn) : undefined;
  const tools = createToolCalls({ requests, handshake, asker });
  const list = (signal: CancelSignal | undefined) => {
    // Each session that waits for the listing of a shared one has a limit of its own.
    const timeoutMs = isShared ? never : limits.startTimeoutMs;
    const load = (admits?: Admits) => listTools(requests, { signal, timeoutMs }, admits);
    return mirror === undefined ? load() : mirror.listing(load);
  };
  const said = handshake.instructions && withoutHidden(handshake.instructions);
  const instructions = said && shorten(said, longestInstructions);
  let reported: string | undefined;
  return {
    instructions,
    about: handshake.about && withoutHidden(handshake.about),
    revision: handshake.revision,
    software: handshake.software && printableLine(handshake.software),
    package: wire.package,
    async listTools(signal) {
      const listed = await list(signal);
      const omissions = {
        ...listed.omissions,
        ...(said !== handshake.instructions && { instructions: 1 }),
        ...(said !== instructions && { saysTooMuch: 1 }),
      };
      const text = omissionText(omissions);
      if (text !== undefined && text !== reported) journal.warn(`tools/list: ${text}`);
      reported = text;
      return { ...listed, omissions };
    },
    callTool: (name, args, options) =>
      send(options, () => {
        const call = (headers?: HeaderList) => tools.call(name, args, options, requestOptions(options, headers));
        return mirror === undefined ? call() : mirror.call(name, args, call, () => list(options.signal));
      }),
    readResource: (uri, options) => send(options, () => readResource(requests, uri, requestOptions(options))),
    adjust(next) {
      limits = next;
    },
    // What was written to a pipe is read; a request over HTTP is aborted.
    close: () => (wire.answersEach === true ? tools.cancelled().then(() => wire.close()) : wire.close()),
  };
}
