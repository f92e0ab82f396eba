import type { RuleSet, ServerConfig } from '../../config/config.js';
import { shownWord } from './shown-word.js';

/** What decides about tools, of an entry before an edit. */
export type Before = RuleSet & Pick<ServerConfig, 'lock' | 'earlier'>;

const locks = ['off', 'note', 'strict'] as const;

/**
 * What an edit loosens, each in a few words. What is compared are the rules as they are written: two that mean the same count as
 * different. Another setting that makes a server stricter belongs in this list.
 */
const loosenings: readonly ((before: Before, after: ServerConfig) => string[])[] = [
  (before, after) => setsOf(before).flatMap((set) => loosenedRules(set, after)),
  ({ lock: before }, { lock: after }) => (isWeaker(after, before) ? [`lock: ${after} instead of ${before}`] : []),
];

export function loosenedBy(before: Before, after: ServerConfig): string[] {
  return [...new Set(loosenings.flatMap((compare) => compare(before, after)))];
}

/** Those of the sets that an entry is less strict than. */
export function setsLoosened(before: Before, after: ServerConfig): RuleSet[] {
  return setsOf(before).filter((set) => loosenedRules(set, after).length > 0);
}

export function stricterLock(one: ServerConfig['lock'], other: ServerConfig['lock']): ServerConfig['lock'] {
  return isWeaker(one, other) ? other : one;
}

export function ruleSetOf({ toolFilters, excludedTools, rules }: RuleSet): RuleSet {
  return { toolFilters, excludedTools, rules };
}

function setsOf(before: Before): RuleSet[] {
  return [ruleSetOf(before), ...(before.earlier ?? [])];
}

function isWeaker(one: ServerConfig['lock'], other: ServerConfig['lock']): boolean {
  return locks.indexOf(one) < locks.indexOf(other);
}

function loosenedRules(before: RuleSet, after: RuleSet): string[] {
  const found = [
    says('offers', more(before.toolFilters, after.toolFilters)),
    says('no longer excludes', more(after.excludedTools, before.excludedTools)),
  ];
  const denied = after.rules.flatMap(({ deny }) => deny);
  for (const from of ['server', 'defaults'] as const) {
    const [old, now] = [rulesFrom(before, from), rulesFrom(after, from)];
    found.push(
      says('no longer denies', more(denied, old.deny)),
      says('no longer asks about', more([...now.ask, ...denied], old.ask)),
      says('allows without a question', more(old.allow, now.allow)),
    );
  }
  return found.flat();
}

function rulesFrom({ rules }: RuleSet, from: 'server' | 'defaults') {
  return rules.find((one) => one.from === from) ?? { deny: [], ask: [], allow: [] };
}

/** The ones that the first list does not have. */
function more(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.includes('*') ? [] : other.filter((pattern) => !one.includes(pattern));
}

function says(what: string, patterns: readonly string[]): string[] {
  return patterns.length === 0 ? [] : [`${what} ${patterns.map(shownWord).join(', ')}`];
}
