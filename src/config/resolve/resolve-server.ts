import { builtInSettings } from '../../limits.js';
import type { EnvCommand, NamedValue, ServerConfig, ServerLimits } from '../config.js';
import { formatPlace, type Path } from '../place.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import { createProblems, type Expand, type Problems } from '../values/problems.js';
import { isPlainText, withUser } from '../values/user.js';
import { type EntryPlace, ownPlace, placeIn } from './entry-place.js';
import { collectInto, type EntryVariables, readVariables, type Surroundings } from './entry-variables.js';
import { uselessIn } from './remote-entry.js';
import { directoryFrom, lateTarget, resolveTarget } from './resolve-target.js';
import { type ExpandRule, expandRules, rulesOf } from './tool-rules.js';

/** A server without what identifies it. */
export type ResolvedServer = Omit<ServerConfig, 'fingerprint' | 'cacheKey'>;

interface Address {
  readonly toolbox: string;
  readonly name: string;
}

/** Resolves a valid entry. One that cannot be used at present gets a broken target with the reason. */
export function resolveServer(
  address: Address,
  entry: ServerFileEntry,
  ofFile: Surroundings,
  foreignPlace: EntryPlace | undefined,
): ResolvedServer {
  const forEveryone = entry.forEveryone === true && ofFile.user !== undefined;
  const around = forEveryone ? { ...ofFile, ...ofFile.own, user: undefined } : ofFile;
  const place = foreignPlace ?? ownPlace(address.toolbox, address.name);
  const placeOf = (at: Path) => placeIn(place, at);
  const secrets: NamedValue[] = [];
  const problems = createProblems(placeOf, collectInto(secrets));
  const variables = readVariables(entry, around, { problems, secrets, placeOf });
  const expand = problems.expandWith(variables.sources);
  const expandAll = (texts: readonly string[], key: string) => texts.map((text, index) => expand(text, key, index));
  const toolFilters = expandAll(entry.toolFilters ?? ['*'], 'toolFilters');
  const excludedTools = expandAll(entry.excludeTools ?? [], 'excludeTools');
  // Apart: what is inserted into a rule is no secret of the server, which would have to be restarted for it.
  const inRules = createProblems(placeOf, () => {});
  const expandRule: ExpandRule = (rule, at, isRule) => {
    const expanded = inRules.expandAt(variables.sources, at)(rule);
    if (!isRule(expanded)) inRules.reportAt('Not a rule: what begins with @ must be a word for hints.', at);
    return expanded;
  };
  const rules = rulesOf(
    expandRules(entry, expandRule, placeOf),
    expandRules(around.defaults, expandRule, (at) => ['defaults', ...at]),
  );
  const warn = (what: string, at: Path) => around.warn(`${formatPlace(placeOf(at))}: ${what}`);
  for (const { at, why } of uselessIn(entry, around.defaults)) warn(why, at);
  const { directory, home } = around;
  const isResolved = entry.resolve ?? around.defaults.resolve ?? true;
  const written = { entry, place, directory, home, given: variables.given, isResolved };
  const envCommand = envCommandOf(entry, around, { problems, expand, variables });
  const { target: draft, reason: why, secrets: inTarget } = resolveTarget(written, variables.sources, warn);
  secrets.push(...inTarget);
  const reason = problems.reason() ?? inRules.reason() ?? (envCommand === undefined ? why : undefined);
  const target = envCommand === undefined ? draft : lateTarget(written, variables.used, envCommand, draft);
  const wantsRoots = entry.roots ?? around.defaults.roots ?? false;
  return {
    ...address,
    file: around.file,
    namedFile: around.namedFile,
    target: reason === undefined ? target : { kind: 'broken', reason },
    toolFilters,
    excludedTools,
    rules,
    lock: entry.lock ?? around.defaults.lock ?? 'note',
    limits: resolveLimits(entry, around),
    // Those of a user over HTTP are directories of another computer.
    roots: wantsRoots && around.user === undefined,
    // Whose roots a server has got, it works for.
    perSession: wantsRoots || (entry.perSession ?? around.defaults.perSession ?? false),
    forEveryone,
    protocol: entry.protocol ?? around.defaults.protocol ?? 'auto',
    disabled: entry.disabled ?? false,
    secrets,
  };
}

interface CommandParts {
  readonly problems: Problems;
  readonly expand: Expand;
  readonly variables: EntryVariables;
}

/** Undefined if the entry has none. An empty list is one that overrides that of `defaults`. */
function envCommandOf(
  entry: ServerFileEntry,
  around: Surroundings,
  { problems, expand, variables }: CommandParts,
): EnvCommand | undefined {
  const isOwn = entry.envCommand !== undefined;
  const written = entry.envCommand ?? around.defaults.envCommand ?? [];
  if (written.length === 0) return undefined;
  const place = ['defaults', 'envCommand'];
  const words = written.map((word, index) =>
    isOwn ? expand(word, 'envCommand', index) : problems.expandAt(variables.sources, [...place, index])(word),
  );
  if (words[0] === '' && problems.reason() === undefined) {
    const empty = 'The program is empty.';
    if (isOwn) problems.report(empty, 'envCommand', 0);
    else problems.reportAt(empty, [...place, 0]);
  }
  const cwd = directoryFrom(expand(entry.cwd ?? '', 'cwd'), around) ?? around.directory;
  if (around.user !== undefined && !isPlainText(around.user.subject)) {
    const what = 'The program is not run: the subject of this user contains control characters.';
    if (isOwn) problems.report(what, 'envCommand');
    else problems.reportAt(what, place);
  }
  return { words, env: withUser(variables.given, around.user), cwd };
}

function resolveLimits(
  entry: ServerFileSettings,
  { defaults, runnerRefreshMs }: Pick<Surroundings, 'defaults' | 'runnerRefreshMs'>,
): ServerLimits {
  const setting = (name: Exclude<keyof ServerLimits, 'runnerRefreshMs'>) =>
    entry[name] ?? defaults[name] ?? builtInSettings[name];
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
    runnerRefreshMs,
  };
}
