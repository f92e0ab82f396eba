import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, startHttpServer } from './loopback.js';
import { makeKey, type SigningKey, signToken } from './sign-token.js';

/** How the issuer answers requests for its metadata and keys. */
export type Behaviour =
  | 'well'
  /** Its connections break. */
  | 'away'
  | 'failing'
  /** It takes requests and says nothing. */
  | 'silent'
  /** Its keys have 10 MB. */
  | 'huge'
  /** It sends whoever wants its keys to the metadata service of a cloud. */
  | 'redirecting';

export interface IssuerOptions {
  /** Behind the origin: `/tenant`. */
  readonly path?: string;
  /** Where its metadata is. */
  readonly metadata?: 'oauth' | 'openid' | 'openid before';
  /** What its metadata says, beside or instead of what is true. */
  readonly says?: Readonly<Record<string, unknown>>;
  readonly keys?: readonly SigningKey[];
  /** The client that users log in with, and its secret. */
  readonly client?: { readonly id: string; readonly secret?: string };
  /** In ms since 1970. */
  readonly now?: () => number;
}

/** Changes of an ordinary token; what is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey;
}

export interface Issuer {
  readonly url: string;
  readonly origin: string;
  /** The paths of all requests, in their order. */
  readonly requests: string[];
  readonly keysFetched: () => number;
  /** The key that it signs with now. */
  readonly key: () => SigningKey;
  behave(behaviour: Behaviour): void;
  /** Signs with another key from now on, and publishes that one alone. */
  rotate(key?: SigningKey): void;
  /** Publishes other keys than those that it has. */
  publish(keys: readonly unknown[]): void;
  /** An access token of `ada` for `audience`. */
  token(changes?: TokenChanges): string;
  /** Who approves the next login, and what is unusual about the ID token. */
  signIn(subject: string, idToken?: TokenChanges): void;
}

export const audience = 'https://mcp.example.com/mcp';

interface Login {
  readonly subject: string;
  readonly query: URLSearchParams;
}

/** An issuer of access tokens on loopback, with a login that asks nobody, until the test ends. */
export async function startIssuer(options: IssuerOptions = {}): Promise<Issuer> {
  const { path = '', metadata = 'oauth', says = {}, client = { id: 'workbench' }, now = Date.now } = options;
  let [key = makeKey()] = options.keys ?? [];
  let published: readonly unknown[] = (options.keys ?? [key]).map((one) => one.published);
  let behaviour: Behaviour = 'well';
  let [user, unusual]: [string, TokenChanges] = ['ada', {}];
  const requests: string[] = [];
  const logins = new Map<string, Login>();

  const server = await startHttpServer((response, request) => {
    const { pathname, searchParams } = new URL(request.url, 'http://any');
    requests.push(pathname);
    if (pathname === `${path}/authorize`) return authorize(response, searchParams);
    if (pathname === `${path}/token`) return sendTokens(response, request);
    if (misbehave(response, pathname)) return undefined;
    if (pathname === metadataPath()) return send(response, 200, { ...described(), ...says });
    if (pathname === `${path}/jwks`) return send(response, 200, { keys: published });
    return send(response, 404, {});
  });
  const url = `${server.origin}${path}`;

  function metadataPath(): string {
    if (metadata === 'openid before') return `${path}/.well-known/openid-configuration`;
    return `/.well-known/${metadata === 'oauth' ? 'oauth-authorization-server' : 'openid-configuration'}${path}`;
  }

  function described(): object {
    return {
      issuer: url,
      jwks_uri: `${url}/jwks`,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [key.alg],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function misbehave(response: ServerResponse, pathname: string): boolean {
    if (behaviour === 'well') return false;
    if (behaviour === 'away') response.destroy();
    else if (behaviour === 'failing') send(response, 503, {});
    else if (behaviour === 'huge' && pathname.endsWith('/jwks')) {
      send(response, 200, { keys: published, padding: 'x'.repeat(10_000_000) });
    } else if (behaviour === 'redirecting' && pathname.endsWith('/jwks')) {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    } else return behaviour === 'silent';
    return true;
  }

  function authorize(response: ServerResponse, query: URLSearchParams): void {
    const redirect = query.get('redirect_uri');
    const isRight =
      query.get('client_id') === client.id &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      query.has('code_challenge');
    if (redirect === null || !isRight) return send(response, 400, { error: 'invalid_request' });
    const code = randomUUID();
    logins.set(code, { subject: query.get('user') ?? user, query });
    const target = new URL(redirect);
    for (const [name, value] of Object.entries({ code, iss: url, state: query.get('state') })) {
      if (value !== null) target.searchParams.set(name, value);
    }
    response.writeHead(302, { location: target.href }).end();
  }

  function sendTokens(response: ServerResponse, { body, headers }: ReceivedRequest): void {
    const form = new URLSearchParams(body);
    const login = logins.get(form.get('code') ?? '');
    // For one use, right or wrong.
    logins.delete(form.get('code') ?? '');
    if (!isClient(form, headers.authorization)) return send(response, 401, { error: 'invalid_client' });
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      form.get('grant_type') === 'authorization_code' &&
      login?.query.get('code_challenge') === challenge &&
      login.query.get('redirect_uri') === form.get('redirect_uri');
    if (login === undefined || !isRight) return send(response, 400, { error: 'invalid_grant' });
    const { subject: sub, query } = login;
    const claims = { sub, aud: client.id, nonce: query.get('nonce') ?? undefined };
    return send(response, 200, {
      access_token: token({ claims: { sub } }),
      id_token: token({
        ...unusual,
        claims: { ...claims, scope: undefined, ...unusual.claims },
        header: { typ: 'JWT', ...unusual.header },
      }),
      token_type: 'Bearer',
      expires_in: 300,
    });
  }

  function isClient(form: URLSearchParams, authorization = ''): boolean {
    const { id, secret } = client;
    if (secret === undefined) return form.get('client_id') === id;
    // Both are encoded as in a form.
    const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const [givenId, givenSecret] = pair.map((part) => new URLSearchParams(`x=${part}`).get('x'));
    return (
      (givenId === id && givenSecret === secret) ||
      (form.get('client_id') === id && form.get('client_secret') === secret)
    );
  }

  function token({ claims, header, key: signer = key }: TokenChanges = {}): string {
    const seconds = Math.floor(now() / 1_000);
    const ordinary = { iss: url, sub: 'ada', aud: audience, iat: seconds, exp: seconds + 300, scope: 'workbench' };
    // JSON leaves out what is undefined.
    return signToken(
      { alg: signer.alg, kid: signer.kid, typ: 'at+jwt', ...header },
      { ...ordinary, ...claims },
      signer,
    );
  }

  return {
    url,
    origin: server.origin,
    requests,
    keysFetched: () => requests.filter((one) => one === `${path}/jwks`).length,
    key: () => key,
    behave: (next) => void (behaviour = next),
    rotate(next = makeKey()) {
      key = next;
      published = [next.published];
    },
    publish: (keys) => void (published = keys),
    token,
    signIn: (subject, idToken = {}) => void ([user, unusual] = [subject, idToken]),
  };
}

function send(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
