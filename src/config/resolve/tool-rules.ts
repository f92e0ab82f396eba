import type { ToolRules } from '../config.js';
import type { Path } from '../place.js';
import { hintWords, textChecks } from '../schema/checks.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';

type Written = Pick<ServerFileSettings, 'deny' | 'ask' | 'allow'>;

const lists = ['deny', 'ask', 'allow'] as const;

/** The rules that apply to a server: its own come first. Empty ones are left out. */
export function rulesOf(own: Written, defaults: Written): readonly ToolRules[] {
  const all: ToolRules[] = [complete('server', own), complete('defaults', defaults)];
  return all.filter((rules) => lists.some((list) => rules[list].length > 0));
}

function complete(from: ToolRules['from'], { deny = [], ask = [], allow = [] }: Written): ToolRules {
  return { from, deny, ask, allow };
}

/** What decides about the tools of a server, as it is written: for commands that start nothing. */
export function writtenRules(entry: ServerFileEntry, defaults: Written = {}) {
  const { toolFilters = ['*'], excludeTools = [] } = entry;
  return { toolFilters, excludedTools: excludeTools, rules: rulesOf(entry, defaults) };
}

/** A rule with its variables expanded. One that is no rule then makes the server unavailable: a rule must not get lost. */
export type ExpandRule = (rule: string, at: Path, isRule: (expanded: string) => boolean) => string;

/** `placeOf`: the place in the file. */
export function expandRules(written: Written, expand: ExpandRule, placeOf: (at: Path) => Path): Written {
  const expanded = lists.map((list) => {
    const isRule = (rule: string) => textChecks.allowRule(rule) || (list !== 'allow' && hintWords.includes(rule));
    return [list, (written[list] ?? []).map((rule, index) => expand(rule, placeOf([list, index]), isRule))] as const;
  });
  return Object.fromEntries(expanded);
}
