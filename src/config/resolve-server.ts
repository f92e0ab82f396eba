import path from 'node:path';
import { builtInSettings, maxEnvFileBytes } from '../limits.js';
import { isHttpUrl } from './checks.js';
import type { NamedValue, RemoteTarget, ServerConfig, ServerLimits, StdioTarget } from './config.js';
import { parseEnvFile } from './env-file.js';
import type { Lookup } from './expand-env.js';
import { expandHome } from './find.js';
import { formatPlace } from './place.js';
import { createProblems, type Expand, type Problems } from './problems.js';
import type { ServerFileEntry, ServerFileSettings } from './schema.js';
import { isOpenToOthers, readTextFile } from './text-file.js';
import { secretsInUrl } from './url-secrets.js';

/** What the entries of one file share. */
export interface Surroundings {
  /** The directory of the configuration file; relative paths start there. */
  readonly directory: string;
  readonly home: string;
  readonly lookup: Lookup;
  readonly defaults: ServerFileSettings;
  readonly warn: (message: string) => void;
}

interface Address {
  readonly toolbox: string;
  readonly name: string;
}

type Variables = ReadonlyMap<string, string>;

/** Resolves a valid entry. One that cannot be used at present gets a broken target with the reason. */
export function resolveServer(address: Address, entry: ServerFileEntry, around: Surroundings): ServerConfig {
  const entryPath = ['toolboxes', address.toolbox, 'mcpServers', address.name];
  const secrets: NamedValue[] = [];
  const problems = createProblems(entryPath, (name, value) => secrets.push({ name, value }));
  const fileVariables = readEnvFile(entry.envFile, problems, around, formatPlace([...entryPath, 'envFile']));
  const expand = problems.expandWith((name) => around.lookup(name) ?? fileVariables.get(name));
  const toolFilters = entry.toolFilters?.map((filter, index) => expand(filter, 'toolFilters', index)) ?? ['*'];
  const target =
    entry.command === undefined
      ? resolveRemote(entry, expand, problems)
      : resolveStdio(entry, entry.command, { expand, problems, fileVariables, around });
  secrets.push(...named(fileVariables), ...secretsIn(target, entry));
  const reason = problems.reason();
  return {
    ...address,
    target: reason === undefined ? target : { kind: 'broken', reason },
    toolFilters,
    limits: resolveLimits(entry, around.defaults),
    roots: entry.roots ?? around.defaults.roots ?? false,
    protocol: entry.protocol ?? around.defaults.protocol ?? 'auto',
    disabled: entry.disabled ?? false,
    secrets,
  };
}

function secretsIn(target: StdioTarget | RemoteTarget, { cwd }: ServerFileEntry): NamedValue[] {
  if (target.kind === 'remote') return [...named(target.headers), ...(secretsInUrl(target.url) ?? [])];
  // Resolving changes the value of a variable in it, e.g. `//` to `/`.
  const hasVariable = cwd?.includes('${') === true && target.cwd !== undefined;
  return [...named(target.env), ...(hasVariable ? [{ name: 'cwd', value: target.cwd }] : [])];
}

function named(values: Variables): NamedValue[] {
  return Array.from(values, ([name, value]) => ({ name, value }));
}

function readEnvFile(
  written: string | undefined,
  problems: Problems,
  { lookup, directory, home, warn }: Surroundings,
  place: string,
): Variables {
  if (written === undefined) return new Map();
  const expanded = problems.expandWith(lookup)(written, 'envFile');
  if (problems.reason() !== undefined) return new Map();
  const file = path.resolve(directory, expandHome(expanded, home));
  // The value of a variable may be a secret, so a path that contains one is not shown.
  const shown = written === expanded ? `the env file ${file}` : 'the env file';
  const content = readTextFile(file, maxEnvFileBytes);
  if (content.kind === 'text') {
    if (isOpenToOthers(content.access)) warn(`${place}: other users can change ${shown}. Make it yours: chmod 600`);
    const { variables, invalidLines } = parseEnvFile(content.text);
    for (const line of invalidLines) warn(`${place}: line ${line} of ${shown} is not NAME=value; it is ignored.`);
    return variables;
  }
  const problem = content.kind === 'missing' ? 'it does not exist' : content.problem;
  problems.report(`Cannot use ${shown}: ${problem}. Create it, or correct the path.`, 'envFile');
  return new Map();
}

interface StdioParts {
  readonly expand: Expand;
  readonly problems: Problems;
  readonly fileVariables: Variables;
  readonly around: Surroundings;
}

function resolveStdio(entry: ServerFileEntry, written: string, parts: StdioParts): StdioTarget {
  const { expand, problems, fileVariables, around } = parts;
  const command = expand(written, 'command');
  if (command === '' && problems.reason() === undefined) {
    problems.report('The command is empty after its variables are expanded.', 'command');
  }
  const args = entry.args?.map((argument, index) => expand(argument, 'args', index)) ?? [];
  const own = Array.from(entry.env ?? [], ([name, value]) => [name, expand(value, 'env', name)] as const);
  const cwd = expand(entry.cwd ?? '', 'cwd');
  return {
    kind: 'stdio',
    command,
    args,
    env: new Map([...fileVariables, ...own]),
    cwd: cwd === '' ? undefined : path.resolve(around.directory, expandHome(cwd, around.home)),
  };
}

function resolveRemote(entry: ServerFileEntry, expand: Expand, problems: Problems): RemoteTarget {
  const url = expand(entry.url ?? '', 'url');
  if (problems.reason() === undefined && !isHttpUrl(url)) {
    problems.report('Not an http or https URL after its variables are expanded.', 'url');
  }
  const headers = new Map<string, string>();
  for (const [name, value] of entry.headers ?? []) {
    const expanded = expand(value, 'headers', name).trim();
    // Checked here because the error of fetch would quote the value, which is often a credential.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(expanded)) {
      problems.report('The value contains characters that are not allowed in a header.', 'headers', name);
    }
    headers.set(name, expanded);
  }
  return { kind: 'remote', url, headers, transport: transportOf(entry.type, url) };
}

function transportOf(type: ServerFileEntry['type'], url: string): RemoteTarget['transport'] {
  if (type !== undefined) return type === 'sse' ? 'sse' : 'http';
  return URL.canParse(url) && new URL(url).pathname.endsWith('/sse') ? 'sse' : 'auto';
}

function resolveLimits(entry: ServerFileSettings, defaults: ServerFileSettings): ServerLimits {
  const setting = (name: keyof ServerLimits) => entry[name] ?? defaults[name] ?? builtInSettings[name];
  const callTimeoutMs = setting('callTimeoutMs');
  const total = entry.callTotalTimeoutMs ?? defaults.callTotalTimeoutMs;
  return {
    startTimeoutMs: setting('startTimeoutMs'),
    callTimeoutMs,
    callTotalTimeoutMs: total ?? Math.max(builtInSettings.callTotalTimeoutMs, callTimeoutMs),
    idleTimeoutMs: setting('idleTimeoutMs'),
    maxConcurrentCalls: setting('maxConcurrentCalls'),
    maxQueuedCalls: setting('maxQueuedCalls'),
    maxMessageBytes: setting('maxMessageBytes'),
    maxResultBytes: setting('maxResultBytes'),
  };
}
