import type { ReplaceAny } from '../../text/replace-any.js';
import { createMask, type Mask } from './mask.js';

/** So many of the latest: a login that is renewed every minute has many, and old ones are worthless. */
const mostSecrets = 20;

/** Secrets that come up while the program runs. */
export interface LearnedSecrets {
  add(secrets: readonly string[]): void;
  mask(): Mask | undefined;
}

export function createLearnedSecrets(): LearnedSecrets {
  let known: readonly string[] = [];
  let mask: Mask | undefined;
  return {
    add(secrets) {
      const fresh = secrets.filter((secret) => secret !== '' && !known.includes(secret));
      if (fresh.length === 0) return;
      known = [...known, ...fresh].slice(-mostSecrets);
      mask = createMask(new Map(known.map((secret) => [secret, 'named'])));
    },
    mask: () => mask,
  };
}

/** A mask for both kinds. It changes when there is more to replace. */
export function withLearned(fixed: Mask, learned: LearnedSecrets): Mask {
  const both =
    (kind: keyof Mask): ReplaceAny =>
    (text, isCut) => {
      const masked = fixed[kind](text, isCut);
      return learned.mask()?.[kind](masked, isCut) ?? masked;
    };
  return { text: both('text'), prose: both('prose'), values: both('values'), names: both('names') };
}
