import path from 'node:path';
import type { RemoteTarget } from '../../../config/config.js';
import { expandHome } from '../../../config/files/find.js';
import { headersIn, urlIn } from '../../../config/resolve/remote-entry.js';
import type { ConfigFile, ServerFileEntry, ServerFileSettings } from '../../../config/schema/schema.js';
import { transportOf } from '../../../config/schema/transport.js';
import { hasReference, referencesIn } from '../../../config/values/references.js';
import { secretsFileName } from '../../../config/values/secrets-file.js';
import { showHidden } from '../../../text/hidden.js';
import { shellQuote } from '../../../text/shell-quote.js';

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
  /** Programs, files and variables of this computer that its variables come from. */
  readonly envCommand?: readonly string[];
  readonly envFiles?: readonly string[];
  readonly files?: readonly string[];
  readonly passedVariables?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
}

export function planOf(file: ConfigFile, directory: string, home: string): TrustPlan[] {
  // Where a variable leads is not known yet.
  const resolve = (written: string) =>
    hasReference(written) ? written : path.resolve(directory, expandHome(written, home));
  return Array.from(file.toolboxes, ([toolbox, { description, mcpServers, envFile }]) => ({
    toolbox,
    description,
    servers: Array.from(mcpServers, ([server, entry]) => ({
      ...planOfServer(server, entry, resolve),
      ...planOfVariables(entry, file.defaults ?? {}, [file.envFile, envFile], resolve),
    })),
  }));
}

function planOfServer(server: string, entry: ServerFileEntry, resolve: (file: string) => string): ServerPlan {
  const { command, args = [], cwd, env, disabled } = entry;
  const url = urlIn(entry)?.value;
  const headers = headersIn(entry);
  return {
    server,
    // Nothing is masked: the file is a stranger's, and what it does must be seen.
    ...(command !== undefined && { command: [command, ...args] }),
    ...(url !== undefined && { url: urlAsRead(url), transport: transportOf({ ...entry }, url) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(env !== undefined && { env: Object.fromEntries(env) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
    ...(disabled === true && { disabled }),
  };
}

/** Where the variables of a server come from. */
function planOfVariables(
  entry: ServerFileEntry,
  defaults: ServerFileSettings,
  shared: readonly (string | undefined)[],
  resolve: (file: string) => string,
): Partial<ServerPlan> {
  const { envCommand = [], envFile, env_vars: passedVariables = [] } = { ...defaults, ...entry };
  const envFiles = [...shared, envFile].filter((file) => file !== undefined);
  const files = referencesIn([entry, envCommand, envFiles]).flatMap(({ kind, name }) => {
    if (kind === 'secret') return [resolve(secretsFileName)];
    return kind === 'file' ? [resolve(name)] : [];
  });
  return {
    ...(envCommand.length > 0 && { envCommand }),
    ...(envFiles.length > 0 && { envFiles: envFiles.map(resolve) }),
    ...(files.length > 0 && { files: [...new Set(files)] }),
    ...(passedVariables.length > 0 && { passedVariables }),
  };
}

/** As the parser of URLs reads it: `https://a\\@b/` leads to `a`. With variables it is not known yet. */
function urlAsRead(url: string): string {
  return hasReference(url) || !URL.canParse(url) ? url : new URL(url).href;
}

/** The plan for a terminal: every hidden character is visible, and no text can begin a line of its own. */
export function planText(plan: readonly TrustPlan[]): string {
  return plan
    .flatMap(({ toolbox, description, servers }) => [
      `  ${nameShown(toolbox)}  ${visible(description.replace(/ {2,}/g, ' '))}`,
      serverLines(servers, 4),
    ])
    .join('\n');
}

/** The same without the toolbox. */
export function serverLines(servers: readonly ServerPlan[], indent: number): string {
  return servers
    .flatMap(linesOf)
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');
}

const transportNames = { auto: 'Streamable HTTP or SSE', http: 'Streamable HTTP', sse: 'SSE' } as const;

function linesOf({ server, command, url, transport, disabled, ...plan }: ServerPlan): string[] {
  const { cwd, envCommand, envFiles = [], files = [], passedVariables = [], env = {}, headers = {} } = plan;
  const shown = (words: readonly string[]) => words.map((word) => visible(shellQuote(word))).join(' ');
  const what = command === undefined ? visible(url ?? '') : shown(command);
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${nameShown(name)}=${visible(value)}`);
  const facts: [string, readonly string[]][] = [
    ['transport', transport === undefined ? [] : [transportNames[transport]]],
    ['directory', cwd === undefined ? [] : [visible(cwd)]],
    ['runs', envCommand === undefined ? [] : [`${shown(envCommand)} (for its variables)`]],
    ['env file', envFiles.map(visible)],
    ['file', files.map(visible)],
    ['gets', passedVariables.map((name) => `${nameShown(name)} (of your environment)`)],
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
