import type { OwnEntry } from './own-entry.js';

const knownForState = /playwright|puppeteer|chrome-devtools|browser|selenium|jupyter|desktop-commander|tmux|\brepl\b/i;

/** Whether a package keeps something that sessions must not share: a browser, a terminal, "the current page". */
export function keepsState(spec: string): boolean {
  return knownForState.test(spec);
}

/** Whether a package reads its file, changes it and writes it without waiting for a write before: of two at once, one is lost. */
export function losesConcurrentWrites(spec: string): boolean {
  return /^(?:@modelcontextprotocol\/server-memory|mcp\/memory|mcp-server-memory)(?:[@:].*)?$/.test(spec);
}

const runners = /^(?:npx|bunx|pnpx|pnpm|npm|yarn|bun|uvx|uv)$/;
const runnerWords = new Set(['dlx', 'exec', 'x', 'tool', 'run']);

/** Whether an entry starts a package that keeps state and does not say whether sessions may share it. */
export function needsOwnProcess(entry: OwnEntry): boolean {
  return entry['perSession'] === undefined && keepsState(packageOf(entry));
}

/** Whether an entry starts a package that loses writes and does not say how many calls it gets at once. */
export function needsTurns(entry: OwnEntry): boolean {
  return entry['maxConcurrentCalls'] === undefined && losesConcurrentWrites(packageOf(entry));
}

/** The package or program that an entry runs, or nothing. */
function packageOf({ command, args = [] }: OwnEntry): string {
  if (command === undefined) return '';
  const isShell = /(?:^|[/\\])cmd(?:\.exe)?$/i.test(command);
  const [program = '', ...words] = isShell ? args.filter((word) => !/^\/c$/i.test(word)) : [command, ...args];
  const name = program.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/i, '');
  if (!runners.test(name)) return name;
  const spec = words.find((word) => !word.startsWith('-') && !runnerWords.has(word));
  return spec !== undefined && spec.length <= 300 ? spec : '';
}
