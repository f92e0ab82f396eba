import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { issuerBytes, issuerLimitMs } from './limits.js';

/** Fetches a document of the issuer. It rejects if there is no whole answer within the limits, or from an address that is refused. */
export type FetchDocument = (
  url: string,
  request: DocumentRequest,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: Buffer }>;

export interface DocumentRequest {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** What is sent, which only this URL may get: a redirect is then the answer. */
  readonly post?: { readonly headers: readonly (readonly [string, string])[]; readonly body: string };
}

const limits = { maxBytes: issuerBytes, timeoutMs: issuerLimitMs } as const;

/** Where the issuer publishes its keys, by its metadata. */
export async function findKeysUrl(issuer: string, fetch: FetchDocument, signal: AbortSignal): Promise<string> {
  const named = ({ jwks_uri: url }: JsonObject) => (typeof url === 'string' ? undefined : 'names no keys (jwks_uri)');
  return String((await findMetadata(issuer, fetch, signal, named))['jwks_uri']);
}

/** The metadata of the issuer. `problemOf`: why a document cannot be used, behind its URL; then the next one is tried. */
export async function findMetadata(
  issuer: string,
  fetch: FetchDocument,
  signal: AbortSignal,
  problemOf: (document: JsonObject) => string | undefined,
): Promise<JsonObject> {
  let problem = '';
  for (const url of metadataUrls(issuer)) {
    const document = await fetchObject(url, issuer, fetch, signal);
    if (typeof document === 'string') problem ||= document;
    // Otherwise one issuer could vouch for another's users.
    else if (document['issuer'] !== issuer) problem = `${url} is the metadata of another issuer`;
    else {
      const fault = problemOf(document);
      if (fault === undefined) return document;
      problem = `${url} ${fault}`;
    }
  }
  throw new Error(problem);
}

/** The keys that the issuer publishes, not looked at yet. */
export async function fetchKeys(
  url: string,
  issuer: string,
  fetch: FetchDocument,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const document = await fetchObject(url, issuer, fetch, signal);
  if (typeof document === 'string') throw new Error(document);
  const keys: unknown = document['keys'];
  if (!isList(keys)) throw new Error(`${shown(url)} is not a set of keys`);
  return keys;
}

/**
 * The places of RFC 8414 and of OpenID Connect. With a path in the issuer it stands behind the well-known part, and for OpenID
 * Connect also before it.
 */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** Its text says what is wrong, if the issuer has answered. Rejects if it has not. */
async function fetchObject(
  url: string,
  issuer: string,
  fetch: FetchDocument,
  signal: AbortSignal,
): Promise<JsonObject | string> {
  if (!isSafe(url, issuer)) throw new Error(`${shown(url)} is not https`);
  const { status, body } = await fetch(url, limits, signal);
  if (status !== 200) return `${shown(url)} answered ${status}`;
  const document = parse(body);
  return document ?? `${shown(url)} is not a JSON object`;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function parse(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only an issuer on this computer may do without https, and only there. */
export function isSafe(url: string, issuer: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && isLoopback(hostname) && isLoopback(new URL(issuer).hostname);
}

function isLoopback(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}

/** Of a URL that an issuer names, without what is no part of its place. */
function shown(url: string): string {
  if (!URL.canParse(url)) return 'The URL of its keys';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.slice(0, 200);
}
