import type { assemble } from '../../../compose.js';
import type { Config } from '../../../config/config.js';
import type { Overview } from '../../../config/overview.js';
import type { Configuration } from '../../../config/read/configuration.js';
import type { Computer } from '../../../platform/computer.js';
import type { Log } from '../../../platform/log.js';
import type { LiveConfiguration } from '../../../session/configuration/live-configuration.js';
import type { StaticAnswers } from '../../../session/introduction/static-answers.js';
import type { SessionLink } from '../../../session/link.js';
import type { Principal } from '../../../session/principal.js';
import type { AgentOutput } from '../../../session/transport.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Bounds } from '../exchange/limits.js';
import type { Ticks } from '../exchange/ticks.js';
import type { Unread } from '../exchange/unread.js';
import type { LiveSessions } from './live-sessions.js';
import type { Quota, QuotaLimits } from './quota.js';
import type { SessionIds } from './session-ids.js';

/** What all users of this process have in common. */
export interface Service {
  readonly limits: QuotaLimits;
  readonly bounds: Bounds;
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

/** A principal that uses the service, with its limits and the directories of its servers. */
export interface User {
  readonly service: Service;
  /** By its newest token. */
  readonly principal: Principal;
  /** Its servers get this environment and these directories. */
  readonly computer: Computer;
  readonly log: Log;
  readonly quota: Quota;
  readonly unread: Unread;
  /** The one in use, as it is for this user. */
  configuration(): Configuration;
  openLink(session: SessionName, configuration: LiveConfiguration, output: AgentOutput): Promise<SessionLink>;
  /** Gets every edit from now on; returns what ends that. */
  follow(session: LiveConfiguration): () => void;
}

/** What tells a session of a user from others. */
export interface SessionName {
  readonly id: string;
  /** The name that the client reports. */
  readonly client: string;
}
