import type { HintWord, RuleSet, ServerConfig, ToolRules } from '../../config/config.js';
import type { Difference, ServerLock } from '../../config/lock-file/tool-lock.js';
import type { Tool } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { type MatchesName, matcherOf } from './name-patterns.js';

/**
 * What holds for a tool, in listings, searches, suggestions and calls:
 * - `hidden`: a filter leaves it out; it does not exist for the agent
 * - `denied`: a rule does, with the same effect
 * - `changed`, `new`, `unverified`: it is not what was approved, and the lock is enforced; a call says so
 * - `asks`: it is listed, and a person is asked before each call
 * - `free`: it is listed and can be called
 */
export type Verdict = 'hidden' | 'denied' | Difference | 'asks' | 'free';

/** The verdicts of tools that do not exist for the agent. */
export type Withheld = Exclude<Verdict, 'asks' | 'free'>;

/** What a verdict depends on. Hints are the server's, so they only make it stricter. */
export type JudgedTool = Pick<Tool, 'name' | 'annotations'>;

export type Judge = (tool: JudgedTool) => Verdict;

/** The part of an entry that decides. */
export type RuledServer = RuleSet & Partial<Pick<ServerConfig, 'lock' | 'earlier'>>;

/** Everything that a server lists. */
export const unruled: RuledServer = { toolFilters: ['*'], excludedTools: [], rules: [] };

const judges = new WeakMap<RuledServer, Judge>();

/** The one function that decides for all tools of a server; made once for an entry, which never changes. */
export function judgeOf(server: RuledServer): Judge {
  const known = judges.get(server);
  if (known !== undefined) return known;
  const judge = createJudge(server);
  judges.set(server, judge);
  return judge;
}

/** The same with what the lock says, which comes after filters and `deny`: what they leave out does not exist anyway. */
export function judgeWith(server: RuledServer, lock: ServerLock | undefined): (tool: Tool) => Verdict {
  const judge = judgeOf(server);
  if (lock?.isEnforced(server.lock) !== true) return judge;
  return (tool) => {
    const verdict = judge(tool);
    return isReachable(verdict) ? (lock.differenceOf(tool) ?? verdict) : verdict;
  };
}

/** Whether a tool is withheld because it is not what was approved. */
export function isDifference(verdict: Verdict): verdict is Difference {
  return verdict === 'changed' || verdict === 'new' || verdict === 'unverified';
}

/** Whether filters and rules let a tool through. */
export function isReachable(verdict: Verdict): boolean {
  return verdict !== 'hidden' && verdict !== 'denied';
}

/** What is known of a tool that may not exist: rules on hints do not count. */
export function judgeName(server: RuledServer, name: string): Verdict {
  return judgeOf(server)({ name, annotations: { readOnlyHint: true } });
}

/** Whether anything but filters decides about the tools of a server. */
export function hasRules({ rules, earlier }: RuledServer): boolean {
  return rules.length > 0 || earlier !== undefined;
}

/** Each set of rules counts, and the strictest verdict holds. */
function createJudge(server: RuledServer): Judge {
  const { earlier = [] } = server;
  const judge = judgeBySet(server);
  if (earlier.length === 0) return judge;
  const all = [judge, ...earlier.map(judgeBySet)];
  return (tool) => {
    const verdicts = all.map((one) => one(tool));
    return verdicts.find((verdict) => !isReachable(verdict)) ?? (verdicts.includes('asks') ? 'asks' : 'free');
  };
}

function judgeBySet({ toolFilters, excludedTools, rules }: RuleSet): Judge {
  const passes = matcherOf(toolFilters);
  const isExcluded = matcherOf(excludedTools);
  const judgeByRules = ruleJudge(rules);
  return (tool) => (!passes(tool.name) || isExcluded(tool.name) ? 'hidden' : judgeByRules(tool));
}

/** deny beats allow beats ask. The server's own `allow` and `ask` come before those of `defaults`; `deny` of both holds. */
function ruleJudge(rules: readonly ToolRules[]): Judge {
  if (rules.length === 0) return () => 'free';
  const levels = rules.map(({ deny, ask, allow }) => ({
    isDenied: toolMatcher(deny),
    asks: toolMatcher(ask),
    isAllowed: matcherOf(allow),
  }));
  return (tool) => {
    if (levels.some(({ isDenied }) => isDenied(tool))) return 'denied';
    for (const { isAllowed, asks } of levels) {
      if (isAllowed(tool.name)) return 'free';
      if (asks(tool)) return 'asks';
    }
    return 'free';
  };
}

const byHint: Readonly<Record<HintWord, (hints: JsonObject) => boolean>> = {
  '@write': ({ readOnlyHint }) => readOnlyHint !== true,
  '@destructive': ({ readOnlyHint, destructiveHint }) => readOnlyHint !== true && destructiveHint !== false,
};

/** Whether any of these names, globs and words of hints is about a tool. */
export function toolMatcher(patterns: readonly string[]): (tool: JudgedTool) => boolean {
  const matchesName: MatchesName = matcherOf(patterns.filter((pattern) => !isHintWord(pattern)));
  const hints = patterns.filter(isHintWord).map((word) => byHint[word]);
  if (hints.length === 0) return ({ name }) => matchesName(name);
  return ({ name, annotations }) =>
    matchesName(name) || hints.some((matches) => matches(isRecord(annotations) ? annotations : {}));
}

function isHintWord(pattern: string): pattern is HintWord {
  return Object.hasOwn(byHint, pattern);
}
