import type { Computer } from '../../platform/computer.js';
import type { ExitCode } from './screen/exit-codes.js';
import type { Output } from './screen/output.js';

/** An option of a command, with its line of help. It takes one value or none, and is given at most once unless it repeats. */
export interface Option {
  /** What its value is, as the help names it: `FILE`. Without one it is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** What every value of it looks like, and how the help says so. */
  readonly fits?: { readonly pattern: RegExp; readonly says: string };
  /** It may be given several times. */
  readonly repeats?: true;
  readonly about: string;
}

/** What a word stands for: completion offers these. `argument`: any number of words, and the last one; `name`: a new one. */
export type WordKind =
  | 'toolbox'
  | 'server'
  | 'tool'
  | 'argument'
  | 'name'
  | 'path'
  | 'command'
  | 'shell'
  | 'client'
  | 'change'
  | 'host'
  | 'call'
  | 'address';

/** What a command is given: the words and options after its name. */
export interface Call {
  readonly words: readonly string[];
  /** How many of them stand before `--`; undefined if there is none. */
  readonly wordsBefore: number | undefined;
  /** All that stands after the name of the command, as it was typed. */
  readonly args: readonly string[];
  /** Whether a switch was given. */
  readonly flag: (option: string) => boolean;
  /** The value of an option; undefined if it was not given. */
  readonly value: (option: string) => string | undefined;
  /** All values of an option that repeats. */
  readonly values: (option: string) => readonly string[];
  readonly computer: Computer;
  readonly output: Output;
  /** The table of all commands, for commands such as `help`. */
  readonly commands: readonly Command[];
}

/** For printed commands: the option with which this one was called, if it was. */
export function sameConfig({ value }: Pick<Call, 'value'>): string[] {
  const config = value('config');
  return config === undefined ? [] : ['--config', config];
}

export type Run = (call: Call) => Promise<ExitCode>;

/** One row of the table of commands: its help, how its arguments are parsed, and where its code is. */
export interface Command {
  readonly name: string;
  readonly group: Group;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  /** What else its own help says, on one line. */
  readonly note?: string;
  /** The words it takes, in this order, and how many of them it needs. */
  readonly words: readonly WordKind[];
  readonly needs?: number;
  readonly options: Readonly<Record<string, Option>>;
  /** They run one after the other on a computer that has nothing yet. */
  readonly examples: readonly [string, string];
  /** The arguments as they are parsed: what may be left out is there. */
  readonly prepare?: (args: readonly string[]) => readonly string[];
  /** Loads its code, which is a part. Undefined for what is answered without one. */
  readonly load?: () => Promise<Run>;
}

export const groups = ['Start', 'See', 'Use', 'Change', 'Other'] as const;
export type Group = (typeof groups)[number];
