import type { Computer } from '../../platform/computer.js';
import type { ExitCode } from '../screen/exit-codes.js';
import type { Output } from '../screen/output.js';

/** An option of a command, with its line of help. It takes one value or none, and is given at most once. */
export interface Option {
  /** What its value is, as the help names it: `FILE`. Without one it is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly about: string;
}

/** What a word stands for: completion offers these. `argument`: any number of `key=value`, and the last one. */
export type WordKind =
  | 'toolbox'
  | 'server'
  | 'tool'
  | 'argument'
  | 'path'
  | 'command'
  | 'shell'
  | 'client'
  | 'change'
  | 'host';

/** What a command is given: the words and options after its name. */
export interface Call {
  readonly words: readonly string[];
  /** Whether a switch was given. */
  readonly flag: (option: string) => boolean;
  /** The value of an option; undefined if it was not given. */
  readonly value: (option: string) => string | undefined;
  readonly computer: Computer;
  readonly output: Output;
  /** The table of all commands, for those that are about commands. */
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
  /** The words it takes, in this order, and how many of them it needs. */
  readonly words: readonly WordKind[];
  readonly needs?: number;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly [string, string];
  /** Loads its code, which is a part. Undefined for what is answered without one. */
  readonly load?: () => Promise<{ readonly run: Run }>;
}

export const groups = ['Start', 'See', 'Use', 'Change', 'Other'] as const;
export type Group = (typeof groups)[number];
