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
  /** Names and values of variables; those that look like secrets are masked. */
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
}

const masked = '•••';

export function planOf({ toolboxes }: ConfigFile, directory: string, home: string): TrustPlan[] {
  const resolve = (file: string) => path.resolve(directory, expandHome(file, home));
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
    // Never masked: what runs must be seen.
    ...(command !== undefined && { command: [command, ...args] }),
    ...(url !== undefined && { url: withoutSecrets(url) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(envFile !== undefined && { envFile: resolve(envFile) }),
    ...(env !== undefined && { env: shown(env, looksSecret) }),
    ...(headers !== undefined && { headers: shown(headers, () => true) }),
    ...(disabled === true && { disabled }),
  };
}

function shown(values: ReadonlyMap<string, string>, isSecret: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Array.from(values, ([name, value]) => [name, isSecret(name) && !isReference(value) ? masked : value]),
  );
}

/** Not the names of programs and files, such as GIT_ASKPASS: what runs must be seen. */
function looksSecret(name: string): boolean {
  return !/askpass|command|path|file|program/i.test(name) && /key|secret|token|pass|auth|credential/i.test(name);
}

/** `${NAME}`, also after `Bearer `: the secret itself is elsewhere. */
function isReference(value: string): boolean {
  return /^(?:\w+ )?\$\{[A-Za-z_]\w*\}$/.test(value);
}

function withoutSecrets(url: string): string {
  return url.replace(/(?<=^[^/?#]*\/\/)[^/?#]*@/, `${masked}@`).replace(/(?<=[?&][^=&#]*=)(?!\$\{)[^&#]+/g, masked);
}

/** The plan for a terminal: every hidden character is visible, and no text can begin a line of its own. */
export function planText(plan: readonly TrustPlan[]): string {
  return plan
    .flatMap(({ toolbox, description, servers }) => [
      `  ${visible(toolbox)}  ${visible(description)}`,
      ...servers.flatMap((server) => linesOf(server).map((line) => `    ${line}`)),
    ])
    .join('\n');
}

function linesOf({ server, command, url, cwd, envFile, env = {}, headers = {}, disabled }: ServerPlan): string[] {
  const what = command === undefined ? visible(url ?? '') : command.map((word) => visible(shellQuote(word))).join(' ');
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${visible(name)}=${visible(value)}`);
  const facts: [string, readonly string[]][] = [
    ['directory', cwd === undefined ? [] : [visible(cwd)]],
    ['env file', envFile === undefined ? [] : [visible(envFile)]],
    ['variable', pairs(env)],
    ['header', pairs(headers)],
  ];
  return [
    `${visible(server)}${disabled === true ? ' (disabled)' : ''}: ${what}`,
    ...facts.flatMap(([name, values]) => values.map((value) => `  ${name.padEnd(9)} ${value}`)),
  ];
}

export function visible(text: string): string {
  return showHidden(text).replace(/[\t\n\r]/g, (sign) => JSON.stringify(sign).slice(1, -1));
}
