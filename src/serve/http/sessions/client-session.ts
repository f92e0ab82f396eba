import { longestMessageToAgent } from '../../../limits.js';
import { createLiveConfiguration, type LiveConfiguration } from '../../../session/configuration/live-configuration.js';
import { fitResults } from '../../../session/fit-results.js';
import { createSession, type Session } from '../../../session/session.js';
import { answerInTime } from '../../../session/tickets/answer-in-time.js';
import type { AgentOutput } from '../../../session/transport.js';
import { answersOverHttp } from './introduction.js';
import type { LiveSession } from './live-sessions.js';
import type { User } from './service.js';

/** The session of one client of a user, whose messages go to whatever exchange they belong to. */
export interface ClientSession extends LiveSession {
  readonly session: Session;
  readonly configuration: LiveConfiguration;
  /** Of a message to the client. */
  readonly output: AgentOutput;
}

interface Client {
  /** The name that it reports. */
  readonly client: string;
  readonly send: AgentOutput['send'];
  readonly closed: () => void;
}

export function openClientSession(user: User, { client, send, closed }: Client): ClientSession {
  const { service, principal, computer, log } = user;
  const id = service.nextSessionId();
  const configuration = createLiveConfiguration(user.configuration());
  // A client that does not read holds up nobody: its calls are counted where they come in.
  const output: AgentOutput = { send, maxBytes: longestMessageToAgent, unread: 0 };
  const settings = () => configuration.current.file;
  const fitted = fitResults(output, { budget: () => settings()?.resultBudgetChars, computer: () => computer, log });
  const fitting = answerInTime(fitted, { limitMs: () => settings()?.answerWithinMs, log });
  const session = createSession(id, {
    ...{ principal, configuration, fitting, log },
    introduce: answersOverHttp,
    open: () => user.openLink({ id, client }, configuration, fitting.output),
  });
  const unfollow = user.follow(configuration);
  return {
    ...{
      principal: principal.key,
      session,
      configuration,
      output,
      busy: 0,
      isConnected: false,
      usedAt: performance.now(),
    },
    async close() {
      closed();
      unfollow();
      await session.close();
    },
  };
}
