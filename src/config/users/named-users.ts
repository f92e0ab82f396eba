import type { Path } from '../place.js';
import { referencesIn, textsIn } from '../values/references.js';

/** A reference to a user or to a claim. */
export interface NamedUser {
  readonly kind: 'user' | 'claim';
  readonly name: string;
  /** Where its string is. */
  readonly at: Path;
  readonly written: string;
}

/** The users and claims that the strings of a value name. `at`: the place of the value. */
export function namedIn(value: unknown, at: Path = []): NamedUser[] {
  return [...textsIn(value, at)].flatMap((placed) =>
    referencesIn(placed.text).flatMap(({ kind, name }) =>
      kind === 'user' || kind === 'claim' ? [{ kind, name, at: placed.at, written: `\${${kind}:${name}}` }] : [],
    ),
  );
}
