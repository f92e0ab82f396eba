import path from 'node:path';
import type { BrokenTarget, EnvCommand, LateTarget, NamedValue, RemoteTarget, StdioTarget } from '../config.js';
import { expandHome } from '../files/find.js';
import type { Path } from '../place.js';
import type { ServerFileEntry } from '../schema/schema.js';
import { refersToSecret, type Sources } from '../values/expand-env.js';
import { createProblems, type Expand, type Problems } from '../values/problems.js';
import { type EntryPlace, placeIn } from './entry-place.js';
import { collectInto, namedValues, sourcesFrom, type UsedValues, type Variables } from './entry-variables.js';
import { resolveRemote } from './resolve-remote.js';

/** An entry whose target is to be resolved. */
export interface WrittenTarget {
  readonly entry: ServerFileEntry;
  readonly place: EntryPlace;
  /** Relative paths start there. */
  readonly directory: string;
  readonly home: string;
  /** The variables that the server gets beside those of `env`. */
  readonly given: Variables;
  /** Whether a package runner is asked for the program, and not run. */
  readonly isResolved: boolean;
}

interface Resolved {
  /** References that cannot be expanded are empty in it. */
  readonly target: StdioTarget | RemoteTarget;
  /** Why it cannot be used. */
  readonly reason: string | undefined;
  readonly secrets: readonly NamedValue[];
}

/** `warn`: `at` is a place inside the entry. */
export function resolveTarget(
  written: WrittenTarget,
  sources: Sources,
  warn: (what: string, at: Path) => void,
): Resolved {
  const { entry, place } = written;
  const secrets: NamedValue[] = [];
  const problems = createProblems((at) => placeIn(place, at), collectInto(secrets));
  const expand = problems.expandWith(sources);
  const { target, secrets: inTarget } =
    entry.command === undefined
      ? resolveRemote(entry, { expand, problems, warn })
      : resolveStdio(written, entry.command, expand, problems);
  return { target, reason: problems.reason(), secrets: [...secrets, ...inTarget] };
}

/** The target of an entry whose program prints variables for it. */
export function lateTarget(
  written: WrittenTarget,
  used: UsedValues,
  envCommand: EnvCommand,
  draft: StdioTarget | RemoteTarget,
): LateTarget {
  const pending: PendingTarget = { ...written, entry: targetPartOf(written.entry), used };
  return { kind: 'late', envCommand, draft, written: pending };
}

/** Without what does not change the target, such as filters, and in one order: fingerprints are made of it. */
function targetPartOf(entry: ServerFileEntry): ServerFileEntry {
  const { type, transport, command, args, env, cwd, url, httpUrl, serverUrl, headers, oauth } = entry;
  return { type, transport, command, args, env, cwd, url, httpUrl, serverUrl, headers, oauth };
}

interface PendingTarget extends WrittenTarget {
  readonly used: UsedValues;
}

export interface SettledTarget {
  readonly target: StdioTarget | RemoteTarget | BrokenTarget;
  /** Every value in it that may be a secret because of where it comes from. */
  readonly secrets: readonly NamedValue[];
}

/** The target with the variables that the program of the entry printed. */
export function resolveLate(late: LateTarget, printed: Variables): SettledTarget {
  // `lateTarget` makes all of them. The type stays inside: it is that of the schema.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const written = late.written as PendingTarget;
  const given = new Map([...written.given, ...printed]);
  // Its warnings were given when the file was read.
  const { target, reason, secrets } = resolveTarget(
    { ...written, given },
    sourcesFrom(written.used, printed),
    () => {},
  );
  return {
    target: reason === undefined ? target : { kind: 'broken', reason },
    secrets: [...namedValues(printed), ...secrets],
  };
}

function resolveStdio(
  { entry, directory, home, given, isResolved }: WrittenTarget,
  written: string,
  expand: Expand,
  problems: Problems,
): { readonly target: StdioTarget; readonly secrets: readonly NamedValue[] } {
  const command = expand(written, 'command');
  if (command === '' && problems.reason() === undefined) {
    problems.report('The command is empty after its variables are expanded.', 'command');
  }
  const args = entry.args?.map((argument, index) => expand(argument, 'args', index)) ?? [];
  const own = Array.from(entry.env ?? [], ([name, value]) => [name, expand(value, 'env', name)] as const);
  const env = new Map([...given, ...own]);
  const cwd = directoryFrom(expand(entry.cwd ?? '', 'cwd'), { directory, home });
  // Resolving changes the value of a variable in it, e.g. `//` to `/`.
  const hasVariable = entry.cwd?.includes('{') === true && cwd !== undefined;
  return {
    target: { kind: 'stdio', command, args, env, cwd, ...(!isResolved && { resolve: false }) },
    secrets: [
      ...namedValues(env),
      ...(hasVariable ? [{ name: refersToSecret(entry.cwd ?? '') ? 'secret' : 'cwd', value: cwd }] : []),
    ],
  };
}

export function directoryFrom(
  expanded: string,
  { directory, home }: Pick<WrittenTarget, 'directory' | 'home'>,
): string | undefined {
  return expanded === '' ? undefined : path.resolve(directory, expandHome(expanded, home));
}
