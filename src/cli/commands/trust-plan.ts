import path from 'node:path';
import type { RemoteTarget } from '../../config/config.js';
import { expandHome } from '../../config/find.js';
import { headersIn, urlIn } from '../../config/remote-entry.js';
import type { ConfigFile, ServerFileEntry } from '../../config/schema.js';
import { transportOf } from '../../config/transport.js';
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
  readonly transport?: RemoteTarget['transport'];
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
  const { command, args = [], cwd, envFile, env, disabled } = entry;
  const url = urlIn(entry)?.value;
  const headers = headersIn(entry);
  return {
    server,
    // Nothing is masked: the file is a stranger's, and what it does must be seen.
    ...(command !== undefined && { command: [command, ...args] }),
    ...(url !== undefined && { url: urlAsRead(url), transport: transportOf({ ...entry }, url) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(envFile !== undefined && { envFile: resolve(envFile) }),
    ...(env !== undefined && { env: Object.fromEntries(env) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
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

const transportNames = { auto: 'Streamable HTTP or SSE', http: 'Streamable HTTP', sse: 'SSE' } as const;

function linesOf({ server, command, url, transport, disabled, ...plan }: ServerPlan): string[] {
  const { cwd, envFile, env = {}, headers = {} } = plan;
  const what = command === undefined ? visible(url ?? '') : command.map((word) => visible(shellQuote(word))).join(' ');
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${nameShown(name)}=${visible(value)}`);
  const facts: [string, readonly string[]][] = [
    ['transport', transport === undefined ? [] : [transportNames[transport]]],
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
