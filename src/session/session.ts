import type { Overview } from '../config/overview.js';
import type { RequestId, RpcMessage, RpcRequest } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { LiveConfiguration } from './configuration/live-configuration.js';
import { type Calls, createConversation } from './conversation.js';
import type { Fitting } from './fit-results.js';
import { introductionOf, type StaticAnswers } from './introduction/static-answers.js';
import { createLazyLink } from './lazy-link.js';
import type { OpenLink, SessionLink } from './link.js';
import type { Principal } from './principal.js';
import type { RefusedRequest } from './transport.js';

/** One agent's connection, from its first message to its end. */
export interface Session {
  /** Unique on this computer. */
  readonly id: string;
  readonly principal: Principal;
  readonly configuration: LiveConfiguration;
  /** `line`: the message as the agent wrote it. */
  receive(message: RpcMessage, line?: Buffer): void;
  /** A request of the agent that is over a limit. */
  refuse(request: RefusedRequest): void;
  /** The agent has disconnected. Resolves when its calls, and the servers that run for it alone, have ended. */
  close(): Promise<void>;
}

export interface SessionParts {
  readonly principal: Principal;
  readonly configuration: LiveConfiguration;
  /** Makes results fit the client; the links that `open` opens write to its output. */
  readonly fitting: Fitting;
  readonly open: OpenLink;
  readonly log: Log;
  /** The answers that need no server, if they are not those of a client on stdio. */
  readonly introduce?: (overview: Overview) => StaticAnswers;
}

/** The requests that need no server are answered here; the others go over a link, which the first of them opens. */
export function createSession(id: string, parts: SessionParts): Session {
  const { principal, configuration, fitting, open, log, introduce = introductionOf } = parts;
  const send = (message: RpcMessage, inReplyTo?: RequestId) => fitting.output.send(message, inReplyTo);
  let opening = { current: configuration.current, note: configuration.note };
  const link = createLazyLink(openCurrent, send, log, onOpen);
  const answers = introduce(configuration.current.overview);
  const conversation = createConversation(answers, send, fitting.around(withGate(link, configuration)), log);
  configuration.session = { caller: () => conversation.caller, send };
  configuration.listener = {
    taken(next) {
      conversation.introduce(introduce(next.overview));
      link.apply(next);
    },
    noted: (text) => link.note(text),
  };

  function openCurrent(lost: Parameters<OpenLink>[0]): Promise<SessionLink> {
    opening = { current: configuration.current, note: configuration.note };
    return open(lost);
  }

  /** There may have been an edit meanwhile. */
  function onOpen(opened: SessionLink): void {
    const { current, note } = configuration;
    if (current !== opening.current) opened.apply(current);
    if (note !== opening.note) opened.note(note);
    configuration.serve();
  }

  return {
    id,
    principal,
    configuration,
    receive: (message, line) => conversation.receive(message, line),
    refuse: (request) => conversation.refuse(request),
    async close() {
      await Promise.all([link.close(), fitting.close()]);
    },
  };
}

/** While an edit waits for a person, the next call asks about it. */
function withGate(link: SessionLink, configuration: LiveConfiguration): Calls {
  return {
    start(request, caller, line) {
      const { gate } = configuration;
      if (gate === undefined) return link.start(request, caller, line);
      const passOn = (changed?: RpcRequest) => link.start(changed ?? request, caller, changed ? undefined : line);
      if (!gate.takes(request, caller, passOn)) passOn();
    },
    cancel(requestId) {
      configuration.gate?.cancel(requestId);
      link.cancel(requestId);
    },
    follow: (requestId, token) => link.follow?.(requestId, token),
    shown: (requestId, chars) => link.shown?.(requestId, chars),
    answered(message) {
      if (configuration.gate?.answered(message) !== true) link.answered(message);
    },
    rootsChanged: () => link.rootsChanged(),
  };
}
