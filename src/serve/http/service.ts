import type { assemble } from '../../compose.js';
import type { Config } from '../../config/config.js';
import type { Overview } from '../../config/overview.js';
import type { Configuration } from '../../config/read/configuration.js';
import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import type { StaticAnswers } from '../../session/introduction/static-answers.js';
import type { SessionLink } from '../../session/link.js';
import type { Principal } from '../../session/principal.js';
import type { AgentOutput } from '../../session/transport.js';
import type { Exchange } from './exchange.js';
import type { SessionIds } from './legacy/session-ids.js';
import type { LiveSessions } from './live-sessions.js';
import type { QuotaLimits } from './quota.js';
import type { Ticks } from './ticks.js';
import type { SessionName, User } from './user.js';

/** What all users of this process have in common. */
export interface Service {
  readonly limits: QuotaLimits;
  readonly ticks: Ticks;
  readonly sessions: LiveSessions;
  readonly sessionIds: SessionIds;
  /** Requests that are not answered yet. */
  readonly exchanges: Set<Exchange>;
  answersOf(overview: Overview): StaticAnswers;
  placeOf(principal: Principal): UserPlace;
  /** The configuration in use, as it is for a principal. */
  viewOf(principal: Principal, place: UserPlace): Configuration;
  /** Loaded with the first call. */
  engine(): Promise<ServiceEngine>;
  nextSessionId(): string;
}

/** Where the servers of a user run. */
export interface UserPlace {
  readonly computer: Computer;
  readonly log: Log;
}

export interface ServiceEngine {
  readonly assemble: typeof assemble;
  openLink(config: Config, output: AgentOutput, session: SessionName, user: User): SessionLink;
}
