import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ServerEntry } from './configs.js';
import { listening, stopFixture } from './fixture-process.js';

const program = fileURLToPath(new URL('../fixtures/authorization-server.mjs', import.meta.url));

/** Settings of the two servers, explained in test/fixtures/authorization-server/settings.mjs. */
export interface AuthorizationSettings {
  readonly metadata?: 'oauth' | 'oidc' | 'both' | 'none';
  readonly issuerPath?: string;
  readonly namedIssuer?: string;
  readonly resourceMetadata?: 'header' | 'path' | 'root' | 'none';
  readonly namedResource?: string;
  readonly pkce?: boolean;
  readonly registration?: boolean;
  readonly cimd?: boolean;
  readonly documents?: Readonly<Record<string, object>>;
  readonly clients?: Readonly<
    Record<string, { readonly secret?: string; readonly redirectUris?: string[]; readonly grantTypes?: string[] }>
  >;
  readonly exactRedirects?: boolean;
  readonly scopes?: readonly string[];
  readonly scope?: string;
  readonly toolScopes?: Readonly<Record<string, string>>;
  readonly challengeScope?: boolean;
  readonly neverEnough?: boolean;
  readonly grantedScope?: string;
  readonly expiresInSeconds?: number | null;
  readonly lifetimeMs?: number;
  readonly refreshTokens?: boolean;
  readonly refresh?: 'granted' | 'refused' | 'broken';
  readonly rotation?: boolean;
  readonly revocation?: boolean;
  readonly consent?: 'page' | 'allow' | 'deny';
  readonly iss?: 'right' | 'wrong' | 'omitted' | 'unsupported';
  readonly state?: 'right' | 'wrong' | 'omitted';
  readonly delayMs?: number;
}

/** A request that one of the two servers received. */
export interface LoggedRequest {
  readonly server: 'authorization' | 'resource';
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body, if it is a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the response, once it has ended. */
  readonly status?: number;
}

interface Commands {
  readonly settings?: AuthorizationSettings;
  readonly listening?: boolean;
  readonly revokeAccess?: true;
  readonly revokeRefresh?: true;
  readonly forgetClients?: true;
}

interface State {
  readonly log: readonly LoggedRequest[];
  readonly clients: number;
  /** How many are valid. */
  readonly accessTokens: number;
  readonly refreshTokens: number;
  /** How many codes and refresh tokens came a second time. */
  readonly reuses: number;
}

/** An authorization server and the MCP server behind it, until the test ends. */
export interface Authorization {
  readonly entry: ServerEntry;
  /** Of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** Changes something, and gives the state after it. */
  control(commands?: Commands): Promise<State>;
  /** The requests to this path of the authorization server, such as `/token`. */
  sent(path: string): Promise<LoggedRequest[]>;
  /** Answers the consent page of this address as a browser would, and gives the address that it is redirected to. */
  consent(authorizationUrl: string, decision?: 'allow' | 'deny'): Promise<string>;
}

interface Ports {
  readonly authorization: number;
  readonly resource: number;
  readonly control: number;
}

export async function startAuthorization(settings: AuthorizationSettings = {}): Promise<Authorization> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => stopFixture(child));
  const ports: Ports = JSON.parse(await listening(child));
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const url = `${at(ports.resource)}/mcp`;

  async function control(commands: Commands = {}): Promise<State> {
    const response = await fetch(at(ports.control), { method: 'POST', body: JSON.stringify(commands) });
    return (await response.json()) as State;
  }

  return {
    entry: { url },
    url,
    issuer: `${at(ports.authorization)}${settings.issuerPath ?? ''}`,
    control,
    async sent(path) {
      const { log } = await control();
      return log.filter((one) => one.server === 'authorization' && one.path === `${settings.issuerPath ?? ''}${path}`);
    },
    consent,
  };
}

async function consent(authorizationUrl: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const shown = await fetch(authorizationUrl, { redirect: 'manual' });
  const page = await shown.text();
  const [, ticket] = /name="ticket" value="([^"]+)"/.exec(page) ?? [];
  if (ticket === undefined) return redirectOf(shown, page);
  const body = new URLSearchParams({ ticket, decision });
  const answered = await fetch(new URL('consent', authorizationUrl), { method: 'POST', body, redirect: 'manual' });
  return redirectOf(answered, await answered.text());
}

function redirectOf(response: Response, text: string): string {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`no redirect but ${response.status}: ${text}`);
  return location;
}
