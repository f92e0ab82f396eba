import { credentialsIn, secretPartsOf } from '../../text/secrets/url-secrets.js';
import type { NamedValue, RemoteTarget } from '../config.js';
import type { Path } from '../place.js';
import { isHttpUrl } from '../schema/checks.js';
import type { ServerFileEntry } from '../schema/schema.js';
import { transportOf } from '../schema/transport.js';
import { hasAuthorization } from '../values/authorization-header.js';
import { refersToSecret } from '../values/expand-env.js';
import type { Expand, Problems } from '../values/problems.js';
import { credentialsSource } from './credentials-source.js';
import { headersIn, urlIn } from './remote-entry.js';
import { resolveOAuth } from './resolve-oauth.js';

export interface RemoteParts {
  readonly expand: Expand;
  readonly problems: Problems;
  /** `at`: a place inside the entry. */
  readonly warn: (what: string, at: Path) => void;
}

/** The target of an entry with a url, and the values in it that may be secrets. */
export interface ResolvedRemote {
  readonly target: RemoteTarget;
  readonly secrets: readonly NamedValue[];
}

export function resolveRemote(entry: ServerFileEntry, { expand, problems, warn }: RemoteParts): ResolvedRemote {
  const { at, value: written } = urlIn(entry) ?? { at: ['url'], value: '' };
  const text = expand(written, ...at);
  if (problems.reason() === undefined && !isHttpUrl(text)) {
    problems.report('Not an http or https URL after its variables are expanded.', ...at);
  }
  const headers = resolveHeaders(entry, expand, problems);
  const { url, credentials, secrets } = readUrl(text);
  if (credentials !== undefined) {
    if (hasAuthorization({ headers })) {
      warn('The user and password in this URL have no effect: the header Authorization is used.', at);
    } else headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  const { oauth, secrets: inOAuth } = resolveOAuth(entry, expand, problems);
  if (oauth !== undefined && oauth.grant !== 'none' && hasAuthorization({ headers })) {
    warn('This has no effect: the header Authorization is used.', ['oauth']);
  }
  const source = credentialsSource(entry);
  return {
    target: {
      ...{ kind: 'remote', url, headers, transport: transportOf({ ...entry }, url) },
      ...(source !== undefined && { credentials: source }),
      ...(oauth && { oauth }),
    },
    secrets: [
      ...inOAuth,
      ...Array.from(headers, ([name, value]) => ({ name, value })),
      ...secrets,
      ...(written === text ? [] : changedParts(url, text, refersToSecret(written) ? 'secret' : 'url')),
    ],
  };
}

function resolveHeaders(entry: ServerFileEntry, expand: Expand, problems: Problems): Map<string, string> {
  const headers = new Map<string, string>();
  for (const { at, name, value } of headersIn(entry)) {
    const expanded = expand(value, ...at).trim();
    // Checked here because the error of fetch would quote the value, which is often a credential.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(expanded)) {
      problems.report('The value contains characters that are not allowed in a header.', ...at);
    }
    headers.set(name, expanded);
  }
  return headers;
}

interface ReadUrl {
  readonly url: string;
  /** `user:password` */
  readonly credentials?: string | undefined;
  readonly secrets: readonly NamedValue[];
}

/** As curl does it: user and password become a header, and the fragment is not sent. `fetch` refuses a URL with a password. */
function readUrl(text: string): ReadUrl {
  if (!URL.canParse(text)) return { url: text, secrets: [] };
  const url = new URL(text);
  const found = { credentials: credentialsIn(url), secrets: secretPartsOf(url) };
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url: url.href, ...found };
}

/** Host and parts of the path that the parser has changed, e.g. escaped: they may contain the value of a variable. */
function changedParts(url: string, text: string, name: string): NamedValue[] {
  if (!URL.canParse(url)) return [];
  const { hostname, pathname } = new URL(url);
  return [hostname, ...pathname.split('/')].filter((part) => !text.includes(part)).map((value) => ({ name, value }));
}
