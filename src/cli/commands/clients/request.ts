import type { Computer } from '../../../platform/computer.js';
import type { Output } from '../../frame/screen/output.js';

/** What a command was asked for: the part of a call that does not depend on the table of commands. */
export interface Request {
  readonly flag: (option: string) => boolean;
  readonly value: (option: string) => string | undefined;
  readonly computer: Computer;
  readonly output: Output;
}
