import type { OwnEntry } from './own-entry.js';

const knownForState = /playwright|puppeteer|chrome-devtools|browser|selenium|jupyter|desktop-commander|tmux|\brepl\b/i;

/** Whether a package keeps something that sessions must not share: a browser, a terminal, "the current page". */
export function keepsState(spec: string): boolean {
  return knownForState.test(spec);
}

const runners = /^(?:npx|bunx|pnpx|pnpm|npm|yarn|bun|uvx|uv)$/;
const runnerWords = new Set(['dlx', 'exec', 'x', 'tool', 'run']);

/** Whether an entry starts such a package and does not say whether sessions may share it. */
export function needsOwnProcess({ command, args = [], perSession }: OwnEntry): boolean {
  if (command === undefined || perSession !== undefined) return false;
  const isShell = /(?:^|[/\\])cmd(?:\.exe)?$/i.test(command);
  const [program = '', ...words] = isShell ? args.filter((word) => !/^\/c$/i.test(word)) : [command, ...args];
  const name = program.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/i, '');
  if (!runners.test(name)) return keepsState(name);
  const spec = words.find((word) => !word.startsWith('-') && !runnerWords.has(word));
  return spec !== undefined && spec.length <= 300 && keepsState(spec);
}
