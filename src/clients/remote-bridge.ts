import { textChecks } from '../config/schema/checks.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { commandLineOf } from './our-entry.js';

/**
 * For an entry with its variables as a configuration has them. `npx mcp-remote URL` is a program that only connects to a URL, for clients that cannot do it themselves. Undefined if an
 * entry is anything else, or gives it more than headers: then it does something that a `url` alone would not.
 */
export function withoutBridge(value: unknown): object | undefined {
  if (!isRecord(value)) return undefined;
  const words = argumentsOf(commandLineOf(value));
  const [url, ...options] = words ?? [];
  if (url === undefined || !/^https?:\/\//.test(url) || !textChecks.url(url)) return undefined;
  const given = isRecord(value['env']) ? value['env'] : {};
  const used = new Set<string>();
  const headers: [string, string][] = [];
  for (let at = 0; at < options.length; at += 2) {
    const [, name = '', text = ''] = /^\s*([^\s:]+)\s*:\s*([^]*)$/.exec(options[at + 1] ?? '') ?? [];
    if (options[at] !== '--header' || name === '') return undefined;
    headers.push([name, filledIn(text, given, used)]);
  }
  if (Object.keys(given).some((name) => !used.has(name))) return undefined;
  const { command: _, args: __, env: ___, cwd: ____, type: _____, ...rest } = value;
  return { ...rest, url, ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) };
}

/** What follows the name of the package. */
function argumentsOf([command = '', ...args]: readonly string[]): string[] | undefined {
  const program = (/[^/\\]*$/.exec(command)?.[0] ?? '').replace(/\.(?:cmd|exe)$/i, '');
  if (program === 'cmd' && /^\/c$/i.test(args[0] ?? '')) return argumentsOf(args.slice(1));
  if (program === 'mcp-remote') return args;
  const at = args.findIndex((word) => /^mcp-remote(?:@[\w.-]+)?$/.test(word));
  const isRunner = ['npx', 'bunx', 'pnpm', 'pnpx', 'yarn'].includes(program);
  const isPlain = args
    .slice(0, at)
    .every((word) => ['-y', '--yes', '-p', '--package', 'dlx', '--silent'].includes(word));
  return isRunner && at !== -1 && isPlain ? args.slice(at + 1) : undefined;
}

/** The program itself replaces `${NAME}` in headers, by variables that its entry gives or that it inherits. */
function filledIn(text: string, given: JsonObject, used: Set<string>): string {
  return text.replaceAll(/\$?\$\{(\w+)\}/g, (_, name: string) => {
    used.add(name);
    const value = given[name];
    return typeof value === 'string' ? value : `\${${name}}`;
  });
}
