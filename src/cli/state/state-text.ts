import { nextStep, type Trouble } from '../../contract/next-step.js';
import { isSamePackage, type PackageVersion } from '../../contract/package-version.js';
import type { LockChanges } from '../../inspect/lock-changes.js';
import type { ServerState } from '../../inspect/server-states.js';
import type { StateName } from '../../inspect/state-name.js';
import { clientTitles } from '../../text/client-title.js';
import { ownCommand } from '../../text/own-command.js';
import { printableLine } from '../../text/printable.js';
import { type Call, sameConfig } from '../frame/command.js';
import { ago, duration } from '../frame/screen/amounts.js';
import type { Mark } from '../frame/screen/marks.js';
import type { Output } from '../frame/screen/output.js';

const marks: Readonly<Record<StateName, Mark | undefined>> = {
  disabled: undefined,
  awake: 'awake',
  starting: 'awake',
  silent: 'awake',
  failed: 'bad',
  unauthorized: 'warning',
  asleep: 'asleep',
  unknown: undefined,
};

/** `● awake 12 min · Claude Code`. */
export function stateText(server: ServerState, output: Output, now: number): string {
  const kind = marks[server.state];
  const changes = server.known?.changes;
  const words = [wordsOf(server, output, now), ...(changes === undefined ? [] : [changesText(changes)])];
  const text = words.join(` ${output.signs.dot} `);
  if (server.state === 'unknown') return text;
  return `${kind === undefined ? output.signs.dash : output.mark(kind)} ${text}`;
}

function wordsOf(server: ServerState, output: Output, now: number): string {
  const { state, since = 0, running, silent, failure } = server;
  const clients = clientTitles(
    running.map(({ client }) => client),
    output.signs.times,
  );
  switch (state) {
    case 'awake':
    case 'starting':
      return [`${state} ${duration(now - since)}`, ...(running.length === 0 ? [] : [clients])].join(
        ` ${output.signs.dot} `,
      );
    case 'silent':
      return `awake? (session ${silent} does not answer)`;
    case 'failed':
      return `${inShort(failure?.reason ?? 'failed')}, ${duration(now - since)} ago`;
    case 'unauthorized':
      return loginText(server);
    case 'asleep':
    case 'disabled':
      return state;
    case 'unknown':
      return 'not measured yet';
  }
}

/** `@scope/name 1.2.0, looked up 2 h ago; the lock has 1.1.0` */
export function packageText(from: PackageVersion, approved: PackageVersion | undefined, now: number): string {
  const { name, version, at } = from;
  const lookedUp = at === undefined ? '' : `, looked up ${ago(at, now)}`;
  if (approved === undefined || isSamePackage(approved, from)) return printableLine(`${name} ${version}${lookedUp}`);
  const before = approved.name === name ? approved.version : `${approved.name} ${approved.version}`;
  const other = before === version ? ' with another content' : '';
  return printableLine(`${name} ${version}${lookedUp}; the lock has ${before}${other}`);
}

/** `1 changed, 2 new` */
export function changesText({ changed, added }: LockChanges): string {
  const parts = [changed.length > 0 && `${changed.length} changed`, added.length > 0 && `${added.length} new`];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

/** The first clause of a reason: details follow it. */
function inShort(reason: string): string {
  const [clause = ''] = reason.replace(/^it /, '').split(/; |: | \(/, 1);
  return clause === '' ? reason : clause;
}

/** What a remote server that refused a request wants: a login, or other credentials than those of its entry. */
export function loginText({ credentials, failure }: ServerState): string {
  return credentials === undefined ? 'needs a login' : inShort(failure?.reason ?? 'credentials refused');
}

/** What to do about a server: words, and a command to paste. */
export interface Advice {
  readonly says?: string | undefined;
  readonly command?: string | undefined;
}

export function adviceFor(trouble: Trouble, call: Pick<Call, 'value'>): Advice {
  const { says, command: [name, ...words] = [] } = nextStep(trouble);
  return { says, command: name === undefined ? undefined : ownCommand(name, words, sameConfig(call)) };
}

/** Nothing for a server that is as it should be. */
export function nextFor(server: ServerState, call: Pick<Call, 'value'>): Advice {
  const { toolbox, server: name, known, failure, credentials } = server;
  const state = troubleOf(server.state) ?? (known?.changes === undefined ? undefined : 'changed');
  if (state === undefined) return {};
  const { kind, reason } = failure ?? {};
  return adviceFor({ toolbox, server: name, state, kind, reason, credentials }, call);
}

function troubleOf(state: StateName): Trouble['state'] | undefined {
  switch (state) {
    case 'disabled':
    case 'failed':
    case 'unauthorized':
    case 'unknown':
      return state;
    default:
      return undefined;
  }
}
