import type { Agent, Flavour, User } from './agents.js';
import type { ServerEntry } from './configs.js';
import { connectHttp, type RunningService, startService } from './http-service.js';
import { type Issuer, startIssuer } from './issuer.js';

/** A service for everybody whom an issuer knows. */
export interface TeamService extends RunningService {
  readonly issuer: Issuer;
  /** An access token of somebody. */
  tokenOf(subject: string, claims?: Readonly<Record<string, unknown>>): string;
  connect(subject: string, flavour: Flavour, user?: User): Promise<Agent>;
}

interface TeamOptions {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** More of the block `auth`. */
  readonly auth?: Readonly<Record<string, unknown>>;
  /** More of the block `http`. */
  readonly http?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

const audience = 'workbench of the tests';

export async function startTeamService({ servers, auth, http, env }: TeamOptions): Promise<TeamService> {
  const issuer = await startIssuer();
  const service = await startService({
    config: {
      http: { auth: { issuer: issuer.url, audience, ...auth }, ...http },
      toolboxes: { dev: { description: 'For development', mcpServers: servers } },
    },
    ...(env && { env }),
  });
  const tokenOf: TeamService['tokenOf'] = (sub, claims = {}) =>
    issuer.token({ claims: { aud: audience, sub, ...claims } });
  return {
    ...service,
    issuer,
    tokenOf,
    connect: (subject, flavour, user) =>
      connectHttp(service, flavour, { token: tokenOf(subject), ...(user && { user }) }),
  };
}
