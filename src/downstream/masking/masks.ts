import type { ServerConfig } from '../../config/config.js';
import { secretsInUrl } from '../../text/secrets/url-secrets.js';
import { createLearnedSecrets, type LearnedSecrets, withLearned } from './learned-secrets.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

/** The masks of all servers. */
export interface Masks {
  /** The mask of one server, made once: it is the same for every process of an entry. */
  of(server: ServerConfig): Mask;
  /** From now on its masks replace these, too: tokens of its login. */
  learn(server: ServerConfig, secrets: readonly string[]): void;
  /** One that is not kept: for values that may be others at the next start. */
  fresh(server: MaskedServer): Mask;
}

type MaskedServer = Pick<ServerConfig, 'secrets' | 'target' | 'fingerprint'>;

const mostMasks = 1_000;

/** `environment`: the variables that every server inherits. A proxy in them may have a password. */
export function createMasks(environment: ReadonlyMap<string, string>): Masks {
  const known = new Map<string, { readonly learned: LearnedSecrets; mask?: Mask }>();
  const inherited = [...environment.values()].flatMap((value) => secretsInUrl(value) ?? []);

  const create = ({ secrets, target }: MaskedServer) =>
    createMask(secretValues({ secrets: [...secrets, ...inherited], target }));

  function knownOf({ fingerprint }: MaskedServer) {
    const found = known.get(fingerprint) ?? { learned: createLearnedSecrets() };
    // Entries that no configuration has any more would stay for ever.
    if (known.size >= mostMasks) known.clear();
    known.set(fingerprint, found);
    return found;
  }

  return {
    fresh: (server) => withLearned(create(server), knownOf(server).learned),
    of(server) {
      const one = knownOf(server);
      one.mask ??= withLearned(create(server), one.learned);
      return one.mask;
    },
    learn: (server, secrets) => knownOf(server).learned.add(secrets),
  };
}
