import { messageOf } from '../../../contract/errors.js';
import { type FetchDocument, fetchKeys, findKeysUrl } from './issuer-document.js';
import { issuerRetryMs, keysFreshMs, keysUsableMs, unknownKeyMs } from './limits.js';
import { chooseKey, type KeyChoice, type PublicKey, usableKeys, type WantedKey } from './public-keys.js';

/** The keys that the issuer signs with. */
export interface IssuerKeys {
  find(wanted: WantedKey): Promise<KeyChoice>;
  /** Whether there are keys that may be used. Fetches them if there are none; never waits. */
  isKnown(): boolean;
  close(): void;
}

export interface KeysOptions {
  readonly issuer: string;
  /** Those that a token may be signed with. */
  readonly algorithms: readonly string[];
  readonly fetch: FetchDocument;
  readonly warn: (message: string) => void;
  readonly now: () => number;
}

/** One fetch at a time, whoever needs it; no failure of the issuer rejects. */
export function createIssuerKeys({ issuer, algorithms, fetch, warn, now }: KeysOptions): IssuerKeys {
  const closing = new AbortController();
  let keys: readonly PublicKey[] = [];
  let url: string | undefined;
  /** When the keys were fetched, when that was last tried, and when it was last for an unknown key. */
  let [fetchedAt, triedAt, unknownAt] = [-Infinity, -Infinity, -Infinity];
  let fetches = 0;
  let isAway = false;
  let fetching: Promise<void> | undefined;

  /** A clock that was set back makes everything old. */
  const isOver = (since: number, ms: number) => now() - since >= ms || now() < since;
  const areUsable = () => keys.length > 0 && !isOver(fetchedAt, keysUsableMs);

  function begin(from: () => Promise<string>): Promise<void> {
    triedAt = now();
    fetching = load(from).finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function load(from: () => Promise<string>): Promise<void> {
    try {
      url = await from();
      keys = usableKeys(await fetchKeys(url, issuer, fetch, closing.signal), algorithms);
      fetchedAt = now();
      fetches += 1;
      // They count all the same: the issuer has withdrawn the others.
      if (keys.length === 0) throw new Error(`none of them is for ${algorithms.join(', ')}`);
      isAway = false;
    } catch (error) {
      if (closing.signal.aborted) return;
      if (!isAway) warn(`the keys of the issuer ${issuer} cannot be used: ${messageOf(error)}; ${consequence()}`);
      isAway = true;
    }
  }

  function consequence(): string {
    return areUsable() ? 'the keys of before are used for up to 24 h' : 'no request can be verified';
  }

  /** Undefined if there is nothing to wait for: the keys are fresh, or the issuer is known to be away and old ones may be used. */
  function refresh(): Promise<void> | undefined {
    if (keys.length > 0 && !isOver(fetchedAt, keysFreshMs)) return undefined;
    if (fetching === undefined && isOver(triedAt, issuerRetryMs) && !closing.signal.aborted) {
      void begin(() => findKeysUrl(issuer, fetch, closing.signal));
    }
    return isAway && areUsable() ? undefined : fetching;
  }

  /** At most once in a while for all tokens together: anybody can name keys. */
  async function fetchForUnknown(): Promise<void> {
    const known = url;
    if (fetching !== undefined) return fetching;
    if (known === undefined || !isOver(unknownAt, unknownKeyMs) || closing.signal.aborted) return undefined;
    unknownAt = now();
    return begin(async () => known);
  }

  return {
    async find(wanted) {
      const before = fetches;
      await refresh();
      if (!areUsable()) return { problem: 'keys-unavailable' };
      const choice = chooseKey(keys, wanted);
      // What this very request has waited for is not fetched again.
      if (!('problem' in choice) || choice.problem !== 'key-unknown' || fetches > before) return choice;
      await fetchForUnknown();
      return areUsable() ? chooseKey(keys, wanted) : { problem: 'keys-unavailable' };
    },
    isKnown() {
      void refresh();
      return areUsable();
    },
    close: () => closing.abort(),
  };
}
