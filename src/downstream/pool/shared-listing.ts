import type { ListedTools } from '../../workbench/ports/tool-cache.js';

/** The listings of one connection: sessions that list at about the same time share one request. */
export interface SharedListing {
  /** Never one from before a reported change, nor the same one twice for the same lease. */
  list(lease: object): Promise<ListedTools>;
  /** The server reported a change. */
  changed(): void;
}

/** After a change each session lists after the same delay, but on a busy machine not at the same time. */
const sharedForMs = 5_000;

interface Listing {
  readonly tools: Promise<ListedTools>;
  /** How many changes had been reported before. */
  readonly changes: number;
  readonly since: number;
  readonly givenTo: WeakSet<object>;
  isRunning: boolean;
}

export function createSharedListing(load: () => Promise<ListedTools>): SharedListing {
  let changes = 0;
  let last: Listing | undefined;
  let following: Promise<Listing> | undefined;

  function begin(): Listing {
    const listing: Listing = {
      tools: load().finally(() => {
        listing.isRunning = false;
      }),
      ...{ changes, since: performance.now(), givenTo: new WeakSet(), isRunning: true },
    };
    // A failed one is of no use to others.
    listing.tools.catch(() => {
      if (last === listing) last = undefined;
    });
    last = listing;
    return listing;
  }

  /** One for all that come while another one runs which is too old for them. */
  function follow({ tools }: Listing): Promise<Listing> {
    following = tools
      .catch(() => {})
      .then(() => {
        following = undefined;
        return begin();
      });
    return following;
  }

  function isFresh(listing: Listing, lease: object): boolean {
    if (listing.changes !== changes || listing.givenTo.has(lease)) return false;
    return listing.isRunning || performance.now() - listing.since < sharedForMs;
  }

  async function listingFor(lease: object): Promise<Listing> {
    if (last !== undefined && isFresh(last, lease)) return last;
    if (following !== undefined) return following;
    return last?.isRunning === true ? follow(last) : begin();
  }

  return {
    async list(lease) {
      const listing = await listingFor(lease);
      listing.givenTo.add(lease);
      return listing.tools;
    },
    changed() {
      changes++;
    },
  };
}
