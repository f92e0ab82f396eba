import path from 'node:path';
import { isHttpUrl } from './checks.js';
import type { RemoteTarget, ServerConfig, ServerLimits, StdioTarget } from './config.js';
import { parseEnvFile } from './env-file.js';
import type { Lookup } from './expand-env.js';
import { expandHome } from './find.js';
import { formatPlace } from './place.js';
import { createTroubles, type Expand, type Troubles } from './problems.js';
import type { ServerFileEntry, ServerFileSettings } from './schema.js';
import { builtInSettings } from './settings.js';
import { readTextFile } from './text-file.js';

/** What all entries of one file have in common. */
export interface Surroundings {
  /** Of the configuration file: relative paths begin there. */
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

/** A valid entry becomes a server; one that cannot work here and now becomes a broken one that says why. */
export function resolveServer(address: Address, entry: ServerFileEntry, around: Surroundings): ServerConfig {
  const entryPath = ['toolboxes', address.toolbox, 'mcpServers', address.name];
  const troubles = createTroubles(entryPath);
  const fileVariables = readEnvFile(entry.envFile, troubles, around, formatPlace([...entryPath, 'envFile']));
  const expand = troubles.expandWith((name) => around.lookup(name) ?? fileVariables.get(name));
  const toolFilters = entry.toolFilters?.map((filter, index) => expand(filter, 'toolFilters', index)) ?? ['*'];
  const target =
    entry.command === undefined
      ? resolveRemote(entry, expand, troubles)
      : resolveStdio(entry, entry.command, { expand, troubles, fileVariables, around });
  const reason = troubles.reason();
  return {
    ...address,
    target: reason === undefined ? target : { kind: 'broken', reason },
    toolFilters,
    limits: resolveLimits(entry, around.defaults),
    protocol: entry.protocol ?? around.defaults.protocol ?? 'auto',
    disabled: entry.disabled ?? false,
  };
}

const mostEnvFileBytes = 1_000_000;

function readEnvFile(
  written: string | undefined,
  troubles: Troubles,
  { lookup, directory, home, warn }: Surroundings,
  place: string,
): Variables {
  if (written === undefined) return new Map();
  const expanded = troubles.expandWith(lookup)(written, 'envFile');
  if (troubles.reason() !== undefined) return new Map();
  const file = path.resolve(directory, expandHome(expanded, home));
  // A path that came out of a variable is not ours to show.
  const shown = written === expanded ? `the env file ${file}` : 'the env file';
  const content = readTextFile(file, mostEnvFileBytes);
  if (content.kind === 'text') {
    const { variables, strangeLines } = parseEnvFile(content.text);
    for (const line of strangeLines) warn(`${place}: line ${line} of ${shown} is not NAME=value and is left out.`);
    return variables;
  }
  const problem = content.kind === 'missing' ? 'it does not exist' : content.problem;
  troubles.report(`Cannot use ${shown}: ${problem}. Create it, or correct the path.`, 'envFile');
  return new Map();
}

interface StdioParts {
  readonly expand: Expand;
  readonly troubles: Troubles;
  readonly fileVariables: Variables;
  readonly around: Surroundings;
}

function resolveStdio(entry: ServerFileEntry, written: string, parts: StdioParts): StdioTarget {
  const { expand, troubles, fileVariables, around } = parts;
  const command = expand(written, 'command');
  if (command === '' && troubles.reason() === undefined) {
    troubles.report('The command is empty once its variables are expanded.', 'command');
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

function resolveRemote(entry: ServerFileEntry, expand: Expand, troubles: Troubles): RemoteTarget {
  const url = expand(entry.url ?? '', 'url');
  if (troubles.reason() === undefined && !isHttpUrl(url)) {
    troubles.report('Not an http or https address once its variables are expanded.', 'url');
  }
  const headers = new Map<string, string>();
  for (const [name, value] of entry.headers ?? []) {
    const expanded = expand(value, 'headers', name).trim();
    // Found here because fetch would quote the value, a credential more often than not, in its error.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(expanded)) {
      troubles.report('The value has characters that a header cannot carry.', 'headers', name);
    }
    headers.set(name, expanded);
  }
  return { kind: 'remote', url, headers };
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
