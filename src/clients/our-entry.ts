import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../jsonrpc/json.js';
import { isOurHttpEntry } from './http-entry.js';

const packageName = 'mcp-workbench';
const runners = new Set(['npx', 'bunx', 'pnpm', 'pnpx', 'yarn', 'npm', 'bun']);
const runnerCommands = new Set(['dlx', 'exec', 'x']);

/**
 * Whether an entry of a client starts this program, whatever its name: by the path of the script, or by the name of the
 * command or of the package; or whether it reaches a service of ours over HTTP. `endpoint`: the URL of that service.
 */
export function isOurEntry(value: unknown, endpoint?: string): boolean {
  if (isOurHttpEntry(value, endpoint)) return true;
  const [command = '', ...args] = commandLineOf(value);
  const program = programOf(command);
  if (program === packageName) return true;
  if (runners.has(program) && /^mcp-workbench(?:@[^/\\]*)?$/.test(packageIn(args))) return true;
  return [command, ...args].some(isOurScript);
}

/** The command and its arguments, in whatever form a client has them. */
export function commandLineOf(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const words = [value['command'], value['args']].flat();
  return words.filter((word) => typeof word === 'string');
}

/** The package that a runner is to run; what follows it are arguments of that package. */
function packageIn(args: readonly string[]): string {
  return args.find((word) => !word.startsWith('-') && !runnerCommands.has(word)) ?? '';
}

function programOf(command: string): string {
  return (/[^/\\]*$/.exec(command)?.[0] ?? '').replace(/\.(?:cmd|exe|ps1)$/i, '').toLowerCase();
}

function isOurScript(word: string): boolean {
  if (!/[/\\]main\.js$/.test(word)) return false;
  if (/[/\\]mcp-workbench[/\\](?:dist|\d+\.\d+\.\d+[^/\\]*)[/\\]main\.js$/.test(word)) return true;
  // A relative path leads elsewhere for the client than here.
  if (!path.isAbsolute(word)) return false;
  const directory = path.dirname(word);
  return [directory, path.dirname(directory)].some((one) => nameIn(path.join(one, 'package.json')) === packageName);
}

function nameIn(file: string): unknown {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(content) ? content['name'] : undefined;
  } catch {
    return undefined;
  }
}
