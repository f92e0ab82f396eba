import { failureOf } from '../../contract/downstream-failure.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';
import { orAborted } from '../protocol/or-aborted.js';

/** The listings of one connection: sessions that list at about the same time share one request. */
export interface SharedListing {
  /** Never one from before a reported change, nor the same one twice for the same lease. */
  list(lease: object, signal: AbortSignal): Promise<ListedTools>;
  /** The server reported a change. */
  changed(): void;
}

/** After a change each session lists after the same delay, but on a busy machine not at the same time. */
const sharedForMs = 5_000;

interface Listing {
  readonly tools: Promise<ListedTools>;
  readonly abort: AbortController;
  readonly givenTo: WeakSet<object>;
  /** How many changes had been reported before. */
  changes: number;
  since: number;
  isOver: boolean;
  /** How many sessions wait for it. Each has a limit of its own, and the last one to leave ends it. */
  waiting: number;
}

/** `load` has no limit of its own, other than the signal. */
export function createSharedListing(load: (signal: AbortSignal) => Promise<ListedTools>): SharedListing {
  let changes = 0;
  /** The one that was begun last. */
  let last: Listing | undefined;
  /** Begins when the last one has ended, which is too old for the requests that wait for this one. */
  let following: Listing | undefined;

  function create(run: (signal: AbortSignal) => Promise<ListedTools>): Listing {
    const abort = new AbortController();
    const tools = run(abort.signal).finally(() => {
      listing.isOver = true;
    });
    const facts = { changes, since: performance.now(), givenTo: new WeakSet(), isOver: false, waiting: 0 };
    const listing: Listing = { tools, abort, ...facts };
    // A failed one is of no use to others.
    tools.catch(() => forget(listing));
    return listing;
  }

  function begin(): Listing {
    last = create(load);
    return last;
  }

  /** One for all that come while another one runs which is too old for them. */
  function follow({ tools }: Listing): Listing {
    const next = create(async (signal) => {
      await tools.catch(() => {});
      // There may be no request for it any more.
      signal.throwIfAborted();
      following = undefined;
      last = Object.assign(next, { changes, since: performance.now() });
      return load(signal);
    });
    following = next;
    return next;
  }

  function forget(listing: Listing): void {
    if (last === listing) last = undefined;
    if (following === listing) following = undefined;
  }

  function isFresh(listing: Listing, lease: object): boolean {
    if (listing.changes !== changes || listing.givenTo.has(lease)) return false;
    return !listing.isOver || performance.now() - listing.since < sharedForMs;
  }

  function listingFor(lease: object): Listing {
    if (last !== undefined && isFresh(last, lease)) return last;
    if (following !== undefined) return following;
    return last?.isOver === false ? follow(last) : begin();
  }

  return {
    async list(lease, signal) {
      const listing = listingFor(lease);
      listing.givenTo.add(lease);
      listing.waiting++;
      try {
        return await orAborted(listing.tools, signal);
      } finally {
        listing.waiting--;
        if (listing.waiting === 0 && !listing.isOver) {
          // At once: who comes now must not wait for it.
          forget(listing);
          listing.abort.abort(failureOf(signal));
        }
      }
    },
    changed() {
      changes++;
    },
  };
}
