import type { PackageVersion } from '../../contract/package-version.js';
import type { LockChanges } from '../../inspect/lock-changes.js';
import type { ServerState } from '../../inspect/server-states.js';
import { isUnwell, type StateName } from '../../inspect/state-name.js';
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
  unknown: 'unknown',
};

/** `● awake 12 min · Claude Code`. */
export function stateText(server: ServerState, output: Output, now: number): string {
  const kind = marks[server.state];
  const mark = kind === undefined ? output.signs.dash : output.mark(kind);
  const changes = server.known?.changes;
  const words = [wordsOf(server, output, now), ...(changes === undefined ? [] : [changesText(changes)])];
  return `${mark} ${words.join(` ${output.signs.dot} `)}`;
}

function wordsOf({ state, since = 0, running, silent, failure }: ServerState, output: Output, now: number): string {
  switch (state) {
    case 'awake':
    case 'starting':
      return [`${state} ${duration(now - since)}`, ...clientsText(running, output)].join(` ${output.signs.dot} `);
    case 'silent':
      return `awake? (session ${silent} does not answer)`;
    case 'failed':
      return `${inShort(failure?.reason ?? 'failed')}, ${duration(now - since)} ago`;
    case 'unauthorized':
      return 'needs authorization';
    case 'asleep':
    case 'disabled':
      return state;
    case 'unknown':
      return 'never started';
  }
}

/** `@scope/name 1.2.0, looked up 2 h ago; the lock has 1.1.0` */
export function packageText(from: PackageVersion, approved: PackageVersion | undefined, now: number): string {
  const { name, version, at } = from;
  const lookedUp = at === undefined ? '' : `, looked up ${ago(at, now)}`;
  const isOther = approved !== undefined && (approved.name !== name || approved.version !== version);
  const before = approved?.name === name ? approved.version : `${approved?.name} ${approved?.version}`;
  return printableLine(`${name} ${version}${lookedUp}${isOther ? `; the lock has ${before}` : ''}`);
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

/** `Claude Code ×2, Cursor`. */
function clientsText(running: ServerState['running'], { signs }: Output): string[] {
  const counts = new Map<string, number>();
  for (const { client } of running) counts.set(client || 'a client', (counts.get(client || 'a client') ?? 0) + 1);
  const names = Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} ${signs.times}${count}`));
  return names.length === 0 ? [] : [names.join(', ')];
}

/** The command that helps with a server; only commands that exist are named. */
export function nextFor({ state, toolbox, server, known }: ServerState, call: Call): string | undefined {
  const has = (name: string) => call.commands.some((command) => command.name === name);
  const named = (name: string) => ownCommand(name, [toolbox, server], sameConfig(call));
  if (state === 'unauthorized' && has('auth')) return named('auth');
  if (isUnwell(state)) return named(has('doctor') ? 'doctor' : 'logs');
  if (state === 'unknown') return named(has('doctor') ? 'doctor' : 'tools');
  return known?.changes !== undefined && state !== 'disabled' ? named('approve') : undefined;
}
