import type { RequestId, RpcMessage } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { LiveConfiguration } from './configuration/live-configuration.js';
import { createConversation } from './conversation.js';
import { introductionOf } from './introduction/static-answers.js';
import { createLazyLink } from './lazy-link.js';
import type { OpenLink, SessionLink } from './link.js';
import type { Principal } from './principal.js';
import type { AgentOutput } from './transport.js';

/** One agent's connection, from its first message to its end. */
export interface Session {
  /** Unique on this computer. */
  readonly id: string;
  readonly principal: Principal;
  readonly configuration: LiveConfiguration;
  /** `line`: the message as the agent wrote it. */
  receive(message: RpcMessage, line?: Buffer): void;
  /** The agent has disconnected. Resolves when its calls, and the servers that run for it alone, have ended. */
  close(): Promise<void>;
}

export interface SessionParts {
  readonly principal: Principal;
  readonly configuration: LiveConfiguration;
  readonly output: AgentOutput;
  readonly open: OpenLink;
  readonly log: Log;
}

/** The requests that need no server are answered here; the others go over a link, which the first of them opens. */
export function createSession(id: string, { principal, configuration, output, open, log }: SessionParts): Session {
  const send = (message: RpcMessage, inReplyTo?: RequestId) => output.send(message, inReplyTo);
  let opening = { current: configuration.current, note: configuration.note };
  const link = createLazyLink(openCurrent, send, log, onOpen);
  const answers = introductionOf(configuration.current.overview);
  const conversation = createConversation(answers, send, link, log);
  configuration.listener = {
    taken(next) {
      conversation.introduce(introductionOf(next.overview));
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
    close: () => link.close(),
  };
}
