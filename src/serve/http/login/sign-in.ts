import { createHash } from 'node:crypto';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { newToken } from '../../../platform/token.js';
import { principalOf } from '../identity/claims.js';
import { createDocumentFetcher } from '../identity/fetch-json.js';
import { findMetadata, isSafe } from '../identity/issuer-document.js';
import { createTokenCheck } from '../identity/jwt.js';
import { createIssuerKeys } from '../identity/keys.js';
import { issuerBytes, issuerLimitMs, keysFreshMs } from '../identity/limits.js';

/** A user who is at the issuer, to show who is in front of the browser. */
export interface SignIn {
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The key of the principal that has signed in, or why it is not known: words of ours, none of the issuer. */
export type SignedIn = { readonly key: string } | { readonly problem: string };

/** The service as a client of its own issuer. */
export interface IssuerClient {
  /** Rejects while the issuer does not answer. */
  begin(): Promise<SignIn>;
  /** `parameters`: what the issuer has sent the browser back with; the state has been compared. */
  finish(signIn: SignIn, parameters: URLSearchParams): Promise<SignedIn>;
  close(): void;
}

export interface IssuerClientOptions {
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly client: { readonly clientId: string; readonly clientSecret: string | undefined };
  /** Where the issuer sends the browser: a place of its own, so that no other authorization server can get at the code. */
  readonly redirect: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
  readonly now: () => number;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** Whether its answer has to name it (RFC 9207). */
  readonly namesItself: boolean;
  readonly methods: readonly unknown[];
}

export function createIssuerClient(options: IssuerClientOptions): IssuerClient {
  const { issuer, algorithms, client, redirect, env, warn, now } = options;
  const { clientId, clientSecret } = client;
  const closing = new AbortController();
  const fetcher = createDocumentFetcher(issuer, { env });
  const { fetch } = fetcher;
  const keys = createIssuerKeys({ issuer, algorithms, fetch, warn, now });
  const check = createTokenCheck({ issuer, audience: clientId, algorithms, keys, now, types: idTokenTypes });
  let found: { readonly endpoints: Promise<Endpoints>; readonly at: number } | undefined;

  function endpoints(): Promise<Endpoints> {
    if (found === undefined || now() - found.at >= keysFreshMs || now() < found.at) {
      const loading = findMetadata(issuer, fetch, closing.signal, problemOf).then(endpointsOf);
      found = { endpoints: loading, at: now() };
      loading.catch(() => (found = undefined));
    }
    return found.endpoints;
  }

  function problemOf(metadata: JsonObject): string | undefined {
    const names = ['authorization_endpoint', 'token_endpoint'];
    const missing = names.find((name) => typeof metadata[name] !== 'string');
    if (missing !== undefined) return `names no ${missing}`;
    const unsafe = names.find((name) => !isSafe(String(metadata[name]), issuer));
    return unsafe === undefined ? undefined : `names a ${unsafe} that is not https`;
  }

  async function exchange(code: string, { verifier }: SignIn, { token, methods }: Endpoints) {
    const form = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier },
    });
    const headers: [string, string][] = [['content-type', 'application/x-www-form-urlencoded']];
    // As OpenID Connect has it, unless the issuer knows only the other way.
    const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    if (clientSecret === undefined || isPost) form.set('client_id', clientId);
    if (clientSecret !== undefined && isPost) form.set('client_secret', clientSecret);
    if (clientSecret !== undefined && !isPost) {
      const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(':');
      headers.push(['authorization', `Basic ${Buffer.from(pair).toString('base64')}`]);
    }
    const limits = { maxBytes: issuerBytes, timeoutMs: issuerLimitMs, post: { headers, body: form.toString() } };
    return fetch(token, limits, closing.signal);
  }

  return {
    async begin() {
      const { authorization } = await endpoints();
      const [state, nonce, verifier] = [newToken(32), newToken(32), newToken(32)];
      const url = new URL(authorization);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirect,
        scope: 'openid',
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url, state, nonce, verifier };
    },

    async finish(signIn, parameters) {
      const known = await endpoints();
      const iss = parameters.get('iss');
      if (iss === null ? known.namesItself : iss !== issuer) return { problem: 'the answer is not that of the issuer' };
      const code = parameters.get('code');
      if (parameters.has('error') || code === null || code === '') return { problem: 'the issuer signed nobody in' };
      const { status, body } = await exchange(code, signIn, known);
      const idToken = status === 200 ? idTokenIn(body) : undefined;
      if (idToken === undefined) return { problem: `the issuer gave no ID token (HTTP ${status})` };
      const verified = await check(idToken);
      if ('why' in verified) return { problem: `the ID token of the issuer is not valid (${verified.why})` };
      const { claims } = verified;
      if (claims['nonce'] !== signIn.nonce) return { problem: 'the ID token of the issuer is not valid (nonce-wrong)' };
      if (!isFor(clientId, claims)) return { problem: 'the ID token of the issuer is for another client' };
      const principal = principalOf(issuer, claims, []);
      return principal === undefined ? { problem: 'the ID token of the issuer names no user' } : principal;
    },

    close() {
      closing.abort();
      keys.close();
      fetcher.close();
    },
  };
}

/** An access token is none, although it may have the same audience. */
const idTokenTypes = /^(?:application\/)?jwt$/i;

function endpointsOf(metadata: JsonObject): Endpoints {
  const methods: unknown = metadata['token_endpoint_auth_methods_supported'];
  return {
    authorization: String(metadata['authorization_endpoint']),
    token: String(metadata['token_endpoint']),
    namesItself: metadata['authorization_response_iss_parameter_supported'] === true,
    methods: Array.isArray(methods) ? methods : [],
  };
}

/** One that has several audiences has to name its client. */
function isFor(clientId: string, { aud, azp }: JsonObject): boolean {
  return azp === undefined ? !(Array.isArray(aud) && aud.length > 1) : azp === clientId;
}

function idTokenIn(body: Buffer): string | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    const token = isRecord(answer) ? answer['id_token'] : undefined;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
