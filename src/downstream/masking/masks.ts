import type { ServerConfig } from '../../config/config.js';
import { secretsInUrl } from '../../config/values/url-secrets.js';
import type { Computer } from '../../platform/computer.js';
import { createFindExisting } from './existing-paths.js';
import { createLearnedSecrets, type LearnedSecrets, withLearned } from './learned-secrets.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

/** The masks of all servers. */
export interface Masks {
  /** The mask of one server, made once: it is the same for every process of an entry. */
  of(server: ServerConfig): Promise<Mask>;
  /** From now on its masks replace these, too: tokens of its login. */
  learn(server: ServerConfig, secrets: readonly string[]): void;
  /** One that is not kept: for values that may be others at the next start. */
  fresh(server: MaskedServer): Promise<Mask>;
}

type MaskedServer = Pick<ServerConfig, 'secrets' | 'target' | 'fingerprint'>;

const mostMasks = 1_000;

/** `environment`: the variables that every server inherits. A proxy in them may have a password. */
export function createMasks(
  { cwd, home }: Pick<Computer, 'cwd' | 'home'>,
  environment: ReadonlyMap<string, string>,
): Masks {
  const known = new Map<string, { readonly learned: LearnedSecrets; mask?: Promise<Mask> }>();
  const findExisting = createFindExisting(home);
  const inherited = [...environment.values()].flatMap((value) => secretsInUrl(value) ?? []);

  async function create({ secrets, target }: Pick<ServerConfig, 'secrets' | 'target'>): Promise<Mask> {
    const all = { secrets: [...secrets, ...inherited], target };
    const doubtful = new Set<string>();
    const values = secretValues(all, (value) => {
      doubtful.add(value);
      return false;
    });
    const existing = await findExisting([...doubtful], (target.kind === 'stdio' && target.cwd) || cwd);
    return createMask(existing.size === 0 ? values : secretValues(all, (value) => existing.has(value)));
  }

  function knownOf({ fingerprint }: MaskedServer) {
    const found = known.get(fingerprint) ?? { learned: createLearnedSecrets() };
    // Entries that no configuration has any more would stay for ever.
    if (known.size >= mostMasks) known.clear();
    known.set(fingerprint, found);
    return found;
  }

  return {
    fresh: async (server) => withLearned(await create(server), knownOf(server).learned),
    of(server) {
      const one = knownOf(server);
      one.mask ??= create(server).then((made) => withLearned(made, one.learned));
      return one.mask;
    },
    learn: (server, secrets) => knownOf(server).learned.add(secrets),
  };
}
