import type { NamedValue } from './names.js';

/** The parts of a URL that may be secrets: user, password, values of the query, fragment. Undefined if the text is not a URL. */
export function secretsInUrl(text: string): readonly NamedValue[] | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // An unescaped `/` in a password: the parser has taken what follows for the path. `/@scope/name` is an ordinary path.
  return /[^/]@/.test(url.pathname) ? undefined : secretPartsOf(url);
}

export function secretPartsOf({ username, password, searchParams, search, hash }: URL): readonly NamedValue[] {
  return [
    { name: 'user', value: decoded(username) },
    { name: 'password', value: decoded(password) },
    ...Array.from(searchParams, ([name, value]) => ({ name, value })),
    { name: 'query', value: search.slice(1) },
    { name: 'fragment', value: decoded(hash.slice(1)) },
  ].filter(({ value }) => value !== '');
}

/** `user:password`, as they are meant. */
export function credentialsIn({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : `${decoded(username)}:${decoded(password)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
