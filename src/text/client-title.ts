/** How people write clients, by the names that these report. */
const titles: ReadonlyMap<string, string> = new Map([
  ['claude-code', 'Claude Code'],
  ['claude-ai', 'Claude Desktop'],
  ['claude-desktop', 'Claude Desktop'],
  ['cursor', 'Cursor'],
  ['cursor-vscode', 'Cursor'],
  ['visual studio code', 'VS Code'],
  ['visual studio code - insiders', 'VS Code'],
  ['codex-mcp-client', 'Codex'],
  ['gemini-cli-mcp-client', 'Gemini CLI'],
  ['qwen-cli-mcp-client', 'Qwen Code'],
  ['opencode', 'opencode'],
  ['windsurf', 'Windsurf'],
  ['windsurf-client', 'Windsurf'],
  ['zed', 'Zed'],
  ['copilot-cli', 'Copilot CLI'],
  ['@cline/core', 'Cline'],
  ['cline', 'Cline'],
  ['continue-cli-client', 'Continue'],
]);

/** As people write the name of a client; one that is not known as it is. `name`: as reported, empty if it is not known. */
export function clientTitle(name: string): string {
  // Gemini CLI and Qwen Code add the name that the server has in their file.
  const [, family] = /^((?:gemini|qwen)-cli-mcp-client)(?:-|$)/.exec(name) ?? [];
  return titles.get((family ?? name).toLowerCase()) ?? (name || 'a client');
}

/** `Claude Code ×2, Cursor`. `times`: the sign before a number. */
export function clientTitles(names: readonly string[], times = '×'): string {
  const counts = new Map<string, number>();
  for (const title of names.map(clientTitle)) counts.set(title, (counts.get(title) ?? 0) + 1);
  return Array.from(counts, ([title, count]) => (count === 1 ? title : `${title} ${times}${count}`)).join(', ');
}
