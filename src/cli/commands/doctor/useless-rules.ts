import type { Config, ServerConfig, ToolRules } from '../../../config/config.js';
import type { JudgedTool } from '../../../workbench/rules/verdict.js';
import { toolMatcher } from '../../../workbench/rules/verdict.js';
import type { ServerReport } from './server-report.js';

const lists = ['deny', 'ask', 'allow'] as const;

/** The rules of these lists that name none of the tools. What `@write` and `@destructive` stand for may well be nothing. */
function useless(rules: ToolRules, tools: readonly JudgedTool[]): string[] {
  return lists.flatMap((list) =>
    rules[list]
      .filter((rule) => !rule.startsWith('@') && !tools.some(toolMatcher([rule])))
      .map((rule) => `${list} ${JSON.stringify(rule)} names no tool`),
  );
}

/** Of the server itself. */
export function uselessRules({ rules }: ServerConfig, tools: readonly JudgedTool[]): string[] {
  return rules.filter(({ from }) => from === 'server').flatMap((own) => useless(own, tools));
}

/** Of `defaults`. Undecided, and so none, unless every server has listed its tools. */
export function uselessDefaults(
  { toolboxes }: Config,
  reports: readonly ServerReport[],
  tools: readonly JudgedTool[],
): string[] {
  if (!reports.every(({ state }) => state === 'well' || state === 'disabled')) return [];
  const [server] = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
  const defaults = server?.rules.find(({ from }) => from === 'defaults');
  return defaults === undefined ? [] : useless(defaults, tools).map((text) => `config.defaults: ${text}`);
}
