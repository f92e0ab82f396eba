import { ownCommand } from '../../text/own-command.js';
import { duration } from '../frame/screen/amounts.js';
import type { Mark } from '../frame/screen/marks.js';
import type { Output } from '../frame/screen/output.js';
import { changesText } from './lock-changes.js';
import type { ServerState, StateName } from './server-states.js';

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

function wordsOf({ state, since = 0, clients, silent, failure }: ServerState, output: Output, now: number): string {
  switch (state) {
    case 'awake':
    case 'starting':
      return [`${state} ${duration(now - since)}`, ...clientsText(clients, output)].join(` ${output.signs.dot} `);
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

/** The first clause of a reason: details follow it. */
function inShort(reason: string): string {
  const [clause = ''] = reason.replace(/^it /, '').split(/; |: | \(/, 1);
  return clause === '' ? reason : clause;
}

/** `Claude Code ×2, Cursor`. */
function clientsText(clients: readonly string[], { signs }: Output): string[] {
  const counts = new Map<string, number>();
  for (const client of clients) counts.set(client || 'a client', (counts.get(client || 'a client') ?? 0) + 1);
  const names = Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} ${signs.times}${count}`));
  return names.length === 0 ? [] : [names.join(', ')];
}

/** What printed commands depend on. */
export interface Printing {
  readonly commands: readonly { readonly name: string }[];
  /** The value of `--config`, which is repeated. */
  readonly value: (option: string) => string | undefined;
}

/** The command that helps with a server; only commands that exist are named. */
export function nextFor(
  { state, toolbox, server, known }: ServerState,
  { commands, value }: Printing,
): string | undefined {
  const config = value('config');
  const has = (name: string) => commands.some((command) => command.name === name);
  const named = (name: string) => ownCommand(name, [toolbox, server], config === undefined ? [] : ['--config', config]);
  if (state === 'unauthorized' && has('auth')) return named('auth');
  if (state === 'failed' || state === 'unauthorized') return named(has('doctor') ? 'doctor' : 'logs');
  if (state === 'unknown') return named(has('doctor') ? 'doctor' : 'tools');
  return known?.changes !== undefined && state !== 'disabled' ? named('approve') : undefined;
}
