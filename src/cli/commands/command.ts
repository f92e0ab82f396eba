import type { Computer } from '../../platform/computer.js';
import type { ExitCode } from '../exit-codes.js';
import type { Output } from '../output.js';

/** An option as `parseArgs` takes it, with its line of help. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly about: string;
}

/** What a command is given: the words and options after its name. */
export interface Call {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, boolean | string | undefined>>;
  readonly computer: Computer;
  readonly output: Output;
}

export type Run = (call: Call) => Promise<ExitCode>;

/** One row of the table of commands: its help, how its arguments are parsed, and where its code is. */
export interface Command {
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  /** How many words it takes at most. */
  readonly maxWords: number;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly [string, string];
  /** Loads its code, which is a part. Undefined for what is answered without one. */
  readonly load?: () => Promise<{ readonly run: Run }>;
}
