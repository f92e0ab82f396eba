import { shorten } from '../../../text/shorten.js';

/** The tools of a server under a rule, by name. */
export interface RuledNames {
  readonly asks: readonly string[];
  readonly denied: readonly string[];
}

const longestNames = 400;

/** `2 ask, 1 denied`; empty if there are none. */
export function ruleCounts({ asks, denied }: RuledNames): string {
  const parts = [
    asks.length > 0 && `${asks.length} ${asks.length === 1 ? 'asks' : 'ask'}`,
    denied.length > 0 && `${denied.length} denied`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

/** A line for each kind. */
export function ruleLines({ asks, denied }: RuledNames): string[] {
  const line = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${label}: ${shorten(names.join(', '), longestNames)}`];
  return [...line('A person is asked before each call of', asks), ...line('Denied', denied)];
}

/** For JSON: empty lists are left out. */
export function ruleFacts({ asks, denied }: RuledNames): Partial<RuledNames> {
  return { ...(asks.length > 0 && { asks }), ...(denied.length > 0 && { denied }) };
}
