import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/read/parse.js';
import { openLogins } from '../../src/downstream/oauth/logins.js';
import { principalKeyOf } from '../../src/serve/http/identity/claims.js';
import type { Agent, Flavour, Question, User } from './agents.js';
import { type Authorization, type AuthorizationSettings, startAuthorization } from './authorization.js';
import { devToolbox } from './configs.js';
import { connectHttp, type RunningService, startService } from './http-service.js';
import { audience, type Issuer, startIssuer } from './issuer.js';
import { createVisitor, type Visited, type Visitor } from './page-visitor.js';

/** A service for a team, with one remote server that needs a login: `linear` in the toolbox `dev`. */
export interface LoginTeam {
  readonly issuer: Issuer;
  readonly service: RunningService;
  readonly server: Authorization;
  /** Of the service, as browsers reach it. */
  readonly origin: string;
  connect(subject: string, flavour: Flavour, user?: User): Promise<Agent>;
  /** The files with logins of this user. */
  stored(subject: string): string[];
  /** All files with logins, whoever has them. */
  storedAnywhere(): string[];
  /** As `mcp-workbench auth` of the user that the service runs as. */
  logInOperator(): Promise<void>;
}

/** As generators of passwords make them. */
const secret = 'a secret: 100% +&= /';

interface LoginTeamOptions {
  /** Without it, the service has no `auth.login`. */
  readonly allowsLogins?: boolean;
  readonly settings?: AuthorizationSettings;
  /** More of the entry of the server. */
  readonly entry?: object;
  /** As clients see the service, if something is in front of it. */
  readonly url?: string;
}

export async function startLoginTeam(options: LoginTeamOptions = {}): Promise<LoginTeam> {
  const { allowsLogins = true, settings = {}, entry = {}, url } = options;
  const issuer = await startIssuer({ client: { id: 'workbench', secret } });
  const server = await startAuthorization(settings);
  const login = allowsLogins ? { clientId: 'workbench', clientSecret: secret } : undefined;
  const auth = { issuer: issuer.url, audience, scopes: ['workbench'], login };
  const service = await startService({
    config: { http: { auth, url }, ...devToolbox({ linear: { ...server.entry, ...entry } }) },
  });
  const data = join(service.home, '.local', 'share', 'mcp-workbench');
  const filesIn = (directory: string) =>
    existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];
  const isLogin = (file: string) => /(?:^|\/)logins\/[^/]+\.json/.test(file);
  return {
    ...{ issuer, service, server, origin: new URL(url ?? service.url).origin },
    connect: (subject, flavour, user) =>
      connectHttp(service, flavour, {
        ...(user !== undefined && { user }),
        token: issuer.token({ claims: { sub: subject } }),
      }),
    stored: (subject) => filesIn(join(data, 'users', principalKeyOf(issuer.url, subject))).filter(isLogin),
    storedAnywhere: () => filesIn(data).filter(isLogin),
    async logInOperator() {
      const file = join(service.dir, 'workbench-config.json');
      const computer = {
        env: { HOME: service.home },
        cwd: service.dir,
        platform: process.platform,
        home: service.home,
      };
      const { toolboxes } = parseConfig(readFileSync(file, 'utf8'), { ...computer, path: file });
      const linear = toolboxes.get('dev')?.servers.get('linear');
      if (linear === undefined) throw new Error('no server');
      const begun = await openLogins(computer, () => {}).begin(linear, { listens: false });
      await begun.paste(await server.consent(begun.url));
    },
  };
}

/** A person with a client that shows links, and a browser of their own. */
export interface Person extends User {
  readonly asked: Question[];
  readonly browser: Visitor;
}

export function personWho(does: (url: string, browser: Visitor) => Promise<void>): Person {
  const asked: Question[] = [];
  const browser = createVisitor();
  return {
    asked,
    browser,
    capabilities: { elicitation: { url: {} } },
    async answer(_, question) {
      asked.push(question);
      await does(question.url ?? '', browser);
      return { action: 'accept' };
    },
  };
}

/** Opens a link as a user who is signed in at the issuer: to the page that says whose account it is about, or why there is none. */
export async function openLink(
  { issuer }: LoginTeam,
  subject: string,
  url: string,
  browser: Visitor,
): Promise<Visited> {
  issuer.signIn(subject);
  return browser.open(url);
}

/** Presses the button and consents: to where the authorization server sends the browser. */
export async function consentAt({ server }: LoginTeam, page: Visited): Promise<string> {
  if (page.button === undefined) throw new Error(`no button: ${page.status} ${page.body}`);
  return server.consent(page.button);
}

/** A whole login as a user. */
export function loggingInAs(team: LoginTeam, subject: string): Person {
  return personWho(async (url, browser) => {
    const page = await openLink(team, subject, url, browser);
    await browser.open(await consentAt(team, page));
  });
}
