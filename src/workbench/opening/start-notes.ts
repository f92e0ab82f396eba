import { shorten } from '../../text/shorten.js';
import type { Budget } from '../listing/listed-tool.js';
import { reasonOf } from '../servers/failures.js';
import type { Outcome } from './opening.js';

interface Opened {
  readonly server: string;
  readonly outcome: Outcome;
  /** What a server that is still starting wrote last. */
  readonly lastWords: string | undefined;
}

/** Which servers are still starting, each with what it wrote last, in at most `length` characters. */
export function startNotes(opened: readonly Opened[], length: number, { budgetChars }: Budget): string[] {
  const list = (servers: readonly Opened[]) => {
    const names = servers.map(({ server, lastWords }) =>
      lastWords === undefined ? server : `${server} (${reasonOf(lastWords, length)})`,
    );
    return shorten(names.join(', '), Math.floor(budgetChars / 4));
  };
  const starting = opened.filter(({ outcome }) => outcome.is === 'starting');
  const cached = opened.filter(({ outcome }) => outcome.is === 'cached');
  const whose = starting.length === 1 ? 'its' : 'their';
  const are = cached.length === 1 ? 'it is' : 'they are';
  return [
    starting.length > 0 &&
      `Still starting: ${list(starting)}. Call open_toolbox again in a moment to list ${whose} tools.`,
    cached.length > 0 &&
      `The tools of ${list(cached)} are the last known ones and can be called: ${are} still starting.`,
  ].filter((note) => typeof note === 'string');
}
