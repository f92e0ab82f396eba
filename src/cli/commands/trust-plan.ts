import path from 'node:path';
import { expandHome } from '../../config/find.js';
import type { ConfigFile, ServerFileEntry } from '../../config/schema.js';
import { showHidden } from '../../text/hidden.js';
import { shellQuote } from '../../text/shell-quote.js';

/** What a configuration would run, as written: variables are not expanded. */
export interface TrustPlan {
  readonly toolbox: string;
  readonly description: string;
  readonly servers: readonly ServerPlan[];
}

interface ServerPlan {
  readonly server: string;
  /** The program and its arguments; none for a remote server. */
  readonly command?: readonly string[];
  readonly url?: string;
  readonly cwd?: string;
  readonly envFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
}

export function planOf({ toolboxes }: ConfigFile, directory: string, home: string): TrustPlan[] {
  // Where a variable leads is not known yet.
  const resolve = (file: string) => (file.includes('${') ? file : path.resolve(directory, expandHome(file, home)));
  return Array.from(toolboxes, ([toolbox, { description, mcpServers }]) => ({
    toolbox,
    description,
    servers: Array.from(mcpServers, ([server, entry]) => planOfServer(server, entry, resolve)),
  }));
}

function planOfServer(server: string, entry: ServerFileEntry, resolve: (file: string) => string): ServerPlan {
  const { command, args = [], url, cwd, envFile, env, headers, disabled } = entry;
  return {
    server,
    // Nothing is masked: the file is a stranger's, and what it does must be seen.
    ...(command !== undefined && { command: [command, ...args] }),
    ...(url !== undefined && { url: urlAsRead(url) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(envFile !== undefined && { envFile: resolve(envFile) }),
    ...(env !== undefined && { env: Object.fromEntries(env) }),
    ...(headers !== undefined && { headers: Object.fromEntries(headers) }),
    ...(disabled === true && { disabled }),
  };
}

/** As the parser of URLs reads it: `https://a\\@b/` leads to `a`. With variables it is not known yet. */
function urlAsRead(url: string): string {
  return url.includes('${') || !URL.canParse(url) ? url : new URL(url).href;
}

/** The plan for a terminal: every hidden character is visible, and no text can begin a line of its own. */
export function planText(plan: readonly TrustPlan[]): string {
  return plan
    .flatMap(({ toolbox, description, servers }) => [
      `  ${nameShown(toolbox)}  ${visible(description.replace(/ {2,}/g, ' '))}`,
      ...servers.flatMap((server) => linesOf(server).map((line) => `    ${line}`)),
    ])
    .join('\n');
}

function linesOf({ server, command, url, cwd, envFile, env = {}, headers = {}, disabled }: ServerPlan): string[] {
  const what = command === undefined ? visible(url ?? '') : command.map((word) => visible(shellQuote(word))).join(' ');
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${nameShown(name)}=${visible(value)}`);
  const facts: [string, readonly string[]][] = [
    ['directory', cwd === undefined ? [] : [visible(cwd)]],
    ['env file', envFile === undefined ? [] : [visible(envFile)]],
    ['variable', pairs(env)],
    ['header', pairs(headers)],
  ];
  return [
    `${nameShown(server)}${disabled === true ? ' (disabled)' : ''}: ${what}`,
    ...facts.flatMap(([name, values]) => values.map((value) => `  ${name.padEnd(9)} ${value}`)),
  ];
}

/** Quoted where it could be taken for more than a name. */
function nameShown(name: string): string {
  return visible(shellQuote(name.replace(/ {2,}/g, ' ')));
}

export function visible(text: string): string {
  return showHidden(text).replace(/[\t\n\r]/g, (sign) => JSON.stringify(sign).slice(1, -1));
}
