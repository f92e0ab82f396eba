import path from 'node:path';
import { builtInSettings, maxEnvFileBytes } from '../limits.js';
import type { NamedValue, ServerConfig, ServerLimits, StdioTarget } from './config.js';
import { parseEnvFile } from './env-file.js';
import type { Lookup } from './expand-env.js';
import { expandHome } from './find.js';
import { formatPlace, type Path } from './place.js';
import { createProblems, type Expand, type Problems } from './problems.js';
import { uselessIn } from './remote-entry.js';
import { resolveRemote } from './resolve-remote.js';
import type { ServerFileEntry, ServerFileSettings } from './schema.js';
import { isOpenToOthers, readTextFile } from './text-file.js';

/** What the entries of one file share. */
export interface Surroundings {
  /** The configuration file. */
  readonly file: string;
  /** The directory of the configuration file; relative paths start there. */
  readonly directory: string;
  readonly home: string;
  readonly lookup: Lookup;
  readonly defaults: ServerFileSettings;
  readonly warn: (message: string) => void;
  /** Called with the path of every other file, before it is read. */
  readonly willRead: (file: string) => void;
}

/** A server without what identifies it. */
export type ResolvedServer = Omit<ServerConfig, 'fingerprint' | 'cacheKey'>;

interface Address {
  readonly toolbox: string;
  readonly name: string;
}

type Variables = ReadonlyMap<string, string>;

/** Resolves a valid entry. One that cannot be used at present gets a broken target with the reason. */
export function resolveServer(address: Address, entry: ServerFileEntry, around: Surroundings): ResolvedServer {
  const entryPath = ['toolboxes', address.toolbox, 'mcpServers', address.name];
  const secrets: NamedValue[] = [];
  const problems = createProblems(entryPath, (name, value) => secrets.push({ name, value }));
  const fileVariables = readEnvFile(entry.envFile, problems, around, formatPlace([...entryPath, 'envFile']));
  const expand = problems.expandWith((name) => around.lookup(name) ?? fileVariables.get(name));
  const toolFilters = entry.toolFilters?.map((filter, index) => expand(filter, 'toolFilters', index)) ?? ['*'];
  const warn = (what: string, at: Path) => around.warn(`${formatPlace([...entryPath, ...at])}: ${what}`);
  for (const { at, why } of uselessIn(entry)) warn(why, at);
  const { target, secrets: inTarget } =
    entry.command === undefined
      ? resolveRemote(entry, { expand, problems, warn })
      : resolveStdio(entry, entry.command, { expand, problems, fileVariables, around });
  secrets.push(...named(fileVariables), ...inTarget);
  const reason = problems.reason();
  return {
    ...address,
    file: around.file,
    target: reason === undefined ? target : { kind: 'broken', reason },
    toolFilters,
    limits: resolveLimits(entry, around.defaults),
    roots: entry.roots ?? around.defaults.roots ?? false,
    protocol: entry.protocol ?? around.defaults.protocol ?? 'auto',
    disabled: entry.disabled ?? false,
    secrets,
  };
}

function named(values: Variables): NamedValue[] {
  return Array.from(values, ([name, value]) => ({ name, value }));
}

function readEnvFile(
  written: string | undefined,
  problems: Problems,
  { lookup, directory, home, warn, willRead }: Surroundings,
  place: string,
): Variables {
  if (written === undefined) return new Map();
  const expanded = problems.expandWith(lookup)(written, 'envFile');
  if (problems.reason() !== undefined) return new Map();
  const file = path.resolve(directory, expandHome(expanded, home));
  // The value of a variable may be a secret, so a path that contains one is not shown.
  const shown = written === expanded ? `the env file ${file}` : 'the env file';
  willRead(file);
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

interface ResolvedStdio {
  readonly target: StdioTarget;
  readonly secrets: readonly NamedValue[];
}

function resolveStdio(entry: ServerFileEntry, written: string, parts: StdioParts): ResolvedStdio {
  const { expand, problems, fileVariables, around } = parts;
  const command = expand(written, 'command');
  if (command === '' && problems.reason() === undefined) {
    problems.report('The command is empty after its variables are expanded.', 'command');
  }
  const args = entry.args?.map((argument, index) => expand(argument, 'args', index)) ?? [];
  const own = Array.from(entry.env ?? [], ([name, value]) => [name, expand(value, 'env', name)] as const);
  const env = new Map([...fileVariables, ...own]);
  const expandedCwd = expand(entry.cwd ?? '', 'cwd');
  const cwd = expandedCwd === '' ? undefined : path.resolve(around.directory, expandHome(expandedCwd, around.home));
  // Resolving changes the value of a variable in it, e.g. `//` to `/`.
  const hasVariable = entry.cwd?.includes('${') === true && cwd !== undefined;
  return {
    target: { kind: 'stdio', command, args, env, cwd },
    secrets: [...named(env), ...(hasVariable ? [{ name: 'cwd', value: cwd }] : [])],
  };
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
