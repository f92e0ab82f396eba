import type { ServerConfig } from '../../config/config.js';
import { secretsInUrl } from '../../config/url-secrets.js';
import type { Computer } from '../../platform/computer.js';
import { createFindExisting } from './existing-paths.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

/** The masks of all servers. */
export interface Masks {
  /** The mask of one server, made once: it is the same for every process of an entry. */
  of(server: ServerConfig): Promise<Mask>;
  /** One that is not kept: for values that may be others at the next start. */
  fresh(server: Pick<ServerConfig, 'secrets' | 'target'>): Promise<Mask>;
}

const mostMasks = 1_000;

/** `environment`: the variables that every server inherits. A proxy in them may have a password. */
export function createMasks(
  { cwd, home }: Pick<Computer, 'cwd' | 'home'>,
  environment: ReadonlyMap<string, string>,
): Masks {
  const masks = new Map<string, Promise<Mask>>();
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

  return {
    fresh: create,
    of(server) {
      const mask = masks.get(server.fingerprint) ?? create(server);
      // Entries that no configuration has any more would stay for ever.
      if (masks.size >= mostMasks) masks.clear();
      masks.set(server.fingerprint, mask);
      return mask;
    },
  };
}
