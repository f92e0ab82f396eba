import { join } from 'node:path';
import { clientNames } from '../../../clients/table/client.js';
import { knownTools } from '../../../inspect/known-tools.js';
import { listSessions } from '../../../inspect/list-sessions.js';
import { withoutLock } from '../../../inspect/lock-changes.js';
import { namedHosts } from '../../../inspect/stop-host.js';
import { writtenServers } from '../../../inspect/written-servers.js';
import type { Computer } from '../../../platform/computer.js';
import { cacheDirectoryOf } from '../../../platform/directories.js';
import type { Call, Command } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { insertable, readLine } from './completion-line.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/**
 * What could come next. bash gives the line up to the cursor and its word breaks, and takes what is to be inserted; zsh and
 * fish give the words, the last one being typed, and do the rest themselves.
 */
export async function candidatesFor(shell: Shell, typed: readonly string[], call: Call): Promise<string[]> {
  if (shell !== 'bash') return named(await candidates(typed, call));
  const [line = '', breaks = ''] = typed;
  const read = readLine(line);
  const last = read.words.at(-1) ?? '';
  const found = named(await candidates(read.words.slice(1), call)).filter((one) => one.startsWith(last));
  return found.map((one) => insertable(one, read, breaks));
}

/** Candidates are lines. */
function named(names: readonly string[]): string[] {
  return names.filter((name) => !/[\r\n\0]/.test(name));
}

async function candidates(words: readonly string[], { commands, computer, value }: Call): Promise<string[]> {
  const place = placeIn(words, commands);
  if (place.command === undefined)
    return place.isOption ? ['--help', '--version', '--config'] : commands.map(({ name }) => name);
  const { command, given, isOption, isOver, config } = place;
  if (isOption) return Object.keys(command.options).map((option) => `--${option}`);
  const kind = command.words[given.length];
  switch (kind) {
    case 'command':
      return commands.map(({ name }) => name);
    case 'shell':
      return [...shells];
    case 'client':
      return [...clientNames];
    case 'host':
      // None is asked: the user is in the middle of a line.
      return namedHosts(() => {}).map(({ pid }) => String(pid));
    case 'call':
      return (await listSessions())
        .flatMap((one) => (one.is === 'known' ? one.sessions : []))
        .flatMap(({ calls }) => calls.map(({ id }) => id));
    case 'toolbox':
    case 'server':
    case 'tool': {
      const configured = await readConfigured(config ?? value('config'), computer, () => {});
      const names = configured === undefined ? [] : namesAt(kind === 'toolbox' ? [] : given, configured, computer);
      // Others would be taken for options.
      return isOver ? names : names.filter((name) => !name.startsWith('-'));
    }
    default:
      return [];
  }
}

/** Toolboxes, the servers of one, or the known tools of a server. */
function namesAt([toolbox, server]: readonly string[], configured: Configured, computer: Computer): string[] {
  if (toolbox === undefined) return [...configured.toolboxes.keys()];
  if (server === undefined) return [...(configured.toolboxes.get(toolbox)?.mcpServers.keys() ?? [])];
  return writtenServers(configured, { toolbox, server }).flatMap((one) => {
    const directory = join(cacheDirectoryOf(computer), 'tools');
    const { tools = [] } = knownTools(directory, one, withoutLock) ?? {};
    return tools.map(({ name }) => name);
  });
}

interface Typing {
  readonly command: Command | undefined;
  /** The words of the command before the one that is being typed. */
  readonly given: readonly string[];
  readonly isOption: boolean;
  /** Whether `--` stands before it. */
  readonly isOver: boolean;
  readonly config: string | undefined;
}

/** Where in the grammar the last word stands. */
function placeIn(words: readonly string[], commands: readonly Command[]): Typing {
  const given: string[] = [];
  let command: Command | undefined;
  let config: string | undefined;
  let isOver = false;
  const before = words.slice(0, -1);
  for (let at = 0; at < before.length; at++) {
    const word = before[at] ?? '';
    if (isOver || !word.startsWith('-') || word === '-') {
      if (command === undefined) command = commands.find(({ name }) => name === word) ?? nothing;
      else given.push(word);
    } else if (word === '--') isOver = true;
    else if (word.startsWith('--config=')) config = word.slice('--config='.length);
    else if (takesValue(word, command)) {
      const value = before[++at];
      // Its value is being typed: a file, or something that cannot be completed.
      if (value === undefined) return { command: nothing, given, isOption: false, isOver, config };
      if (word === '--config' || word === '-c') config = value;
    }
  }
  return { command, given, isOption: !isOver && (words.at(-1) ?? '').startsWith('-'), isOver, config };
}

/** Has no words and no options. */
const nothing: Command = {
  name: '',
  group: 'Other',
  usage: '',
  summary: '',
  words: [],
  options: {},
  examples: ['', ''],
};

function takesValue(word: string, command: Command | undefined): boolean {
  if (word === '--config' || word === '-c') return true;
  return Object.entries(command?.options ?? {}).some(
    ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
  );
}
