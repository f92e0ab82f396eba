import path from 'node:path';
import type { RemoteTarget } from '../../../config/config.js';
import { expandHome } from '../../../config/files/find.js';
import { headersIn, urlIn } from '../../../config/resolve/remote-entry.js';
import type { ConfigFile, ServerFileEntry, ServerFileSettings } from '../../../config/schema/schema.js';
import { transportOf } from '../../../config/schema/transport.js';
import { createHideSecrets, type HideSecrets } from '../../../config/trust/hide-secrets.js';
import { hasReference, referencesIn, variablesReferred } from '../../../config/values/references.js';
import { secretsFileName } from '../../../config/values/secrets-file.js';
import { showHidden } from '../../../text/hidden.js';
import { hiddenMark, hideKnownForms } from '../../../text/secrets/known-forms.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { type Settings, settingsOf } from './entry-settings.js';

/** What a configuration would run, as written: variables are not expanded. Secrets are hidden. */
export interface TrustPlan {
  readonly toolbox: string;
  readonly description: string | undefined;
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
  /** All other keys of the entry. */
  readonly settings?: Settings;
  /** The variables of the environment that are read anywhere in the entry. */
  readonly reads?: readonly string[];
  readonly disabled?: true;
}

export function planOf(file: ConfigFile, directory: string, home: string): TrustPlan[] {
  // Where a variable leads is not known yet.
  const resolve = (written: string) =>
    hasReference(written) ? written : path.resolve(directory, expandHome(written, home));
  return Array.from(file.toolboxes, ([toolbox, { description, mcpServers, envFile }]) => ({
    toolbox,
    description,
    servers: Array.from(mcpServers, ([server, entry]) => {
      const { command, args = [], envCommand = [] } = { ...file.defaults, ...entry };
      const hide = createHideSecrets([command ?? '', ...args, ...envCommand]);
      return {
        ...planOfServer(server, entry, resolve, hide),
        ...planOfVariables(entry, file.defaults ?? {}, [file.envFile, envFile], resolve, hide),
        ...planOfRest(entry, variablesReferred([entry, file.defaults, file.envFile, envFile]), hide),
      };
    }),
  }));
}

function planOfServer(
  server: string,
  entry: ServerFileEntry,
  resolve: (file: string) => string,
  hide: HideSecrets,
): ServerPlan {
  const { command, args = [], cwd, env, disabled } = entry;
  const url = urlIn(entry)?.value;
  const headers = headersIn(entry);
  const hidden = (name: string, value: string) => [name, hide.value(name, value)] as const;
  return {
    server,
    ...(command !== undefined && { command: hide.words([command, ...args]) }),
    ...(url !== undefined && { url: hide.url(urlAsRead(url)), transport: transportOf({ ...entry }, url) }),
    ...(cwd !== undefined && { cwd: hideKnownForms(resolve(cwd), hiddenMark) }),
    ...(env !== undefined && { env: Object.fromEntries(Array.from(env, ([name, value]) => hidden(name, value))) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => hidden(name, value))) }),
    ...(disabled === true && { disabled }),
  };
}

/** Where the variables of a server come from. */
function planOfVariables(
  entry: ServerFileEntry,
  defaults: ServerFileSettings,
  shared: readonly (string | undefined)[],
  resolve: (file: string) => string,
  hide: HideSecrets,
): Partial<ServerPlan> {
  const { envCommand = [], envFile, env_vars: passedVariables = [] } = { ...defaults, ...entry };
  const envFiles = [...shared, envFile].filter((file) => file !== undefined);
  const files = referencesIn([entry, envCommand, envFiles]).flatMap(({ kind, name }) => {
    if (kind === 'secret') return [resolve(secretsFileName)];
    return kind === 'file' ? [resolve(name)] : [];
  });
  return {
    ...(envCommand.length > 0 && { envCommand: hide.words(envCommand) }),
    ...(envFiles.length > 0 && { envFiles: envFiles.map(resolve) }),
    ...(files.length > 0 && { files: [...new Set(files)] }),
    ...(passedVariables.length > 0 && { passedVariables }),
  };
}

function planOfRest(entry: ServerFileEntry, reads: readonly string[], hide: HideSecrets): Partial<ServerPlan> {
  const settings = settingsOf(entry, hide);
  return { ...(Object.keys(settings).length > 0 && { settings }), ...(reads.length > 0 && { reads }) };
}

/** As the parser of URLs reads it: `https://a\\@b/` leads to `a`. With variables it is not known yet. */
function urlAsRead(url: string): string {
  return hasReference(url) || !URL.canParse(url) ? url : new URL(url).href;
}

/** The plan for a terminal: every hidden character is visible, and no text can begin a line of its own. */
export function planText(plan: readonly TrustPlan[]): string {
  return plan
    .flatMap(({ toolbox, description, servers }) => [
      `  ${nameShown(toolbox)}  ${visible((description ?? '').replace(/ {2,}/g, ' '))}`.trimEnd(),
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
  const {
    cwd,
    envCommand,
    envFiles = [],
    files = [],
    passedVariables = [],
    env = {},
    headers = {},
    settings = {},
    reads = [],
  } = plan;
  const shown = (words: readonly string[]) => words.map((word) => visible(shellQuote(word))).join(' ');
  const what = command === undefined ? visible(url ?? '') : shown(command);
  const facts: [string, readonly string[]][] = [
    ['transport', transport === undefined ? [] : [transportNames[transport]]],
    ['directory', cwd === undefined ? [] : [visible(cwd)]],
    ['runs', envCommand === undefined ? [] : [`${shown(envCommand)} (for its variables)`]],
    ['env file', envFiles.map(visible)],
    ['file', files.map(visible)],
    ['gets', passedVariables.map((name) => `${nameShown(name)} (of your environment)`)],
    ['variable', pairsShown(env)],
    ['header', pairsShown(headers)],
    ['setting', pairsShown(settings)],
    ['reads', reads.map((name) => `${nameShown(name)} (of your environment)`)],
  ];
  return [
    `${nameShown(server)}${disabled === true ? ' (disabled)' : ''}: ${what}`,
    ...facts.flatMap(([name, values]) => values.map((value) => `  ${name.padEnd(9)} ${value}`)),
  ];
}

export function pairsShown(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `${nameShown(name)}=${visible(value)}`);
}

/** Quoted where it could be taken for more than a name. */
function nameShown(name: string): string {
  return visible(shellQuote(name.replace(/ {2,}/g, ' ')));
}

export function visible(text: string): string {
  return showHidden(text).replace(/[\t\n\r]/g, (sign) => JSON.stringify(sign).slice(1, -1));
}
