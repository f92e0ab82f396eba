import type { Node } from 'jsonc-parser';
import type { Findings } from './notice.js';

const geminiKeys = new Set(['allowed', 'excluded', 'serverCommand']);

/** A file without the settings of clients that have the name of a container, but no servers in them. */
export function withoutClientSettings(tree: Node, findings: Findings): Node {
  const settings = (tree.children ?? []).filter(isGeminiSetting);
  if (tree.type !== 'object' || settings.length === 0) return tree;
  for (const { offset } of settings) {
    const what = 'These are settings of Gemini CLI, not servers.';
    const remedy = 'They have no effect: write "disabled": true into the entries of servers that they exclude.';
    findings.warnings.push({ offset, path: ['mcp'], what, remedy });
  }
  return { ...tree, children: (tree.children ?? []).filter((property) => !settings.includes(property)) };
}

/** `mcp` of Gemini CLI has lists of names; that of opencode has servers, which may have any name. */
function isGeminiSetting({ children: [key, value] = [] }: Node): boolean {
  const members = value?.type === 'object' ? (value.children ?? []) : [];
  return (
    key?.value === 'mcp' &&
    members.length > 0 &&
    members.every(({ children: [name, held] = [] }) => geminiKeys.has(String(name?.value)) && held?.type !== 'object')
  );
}
