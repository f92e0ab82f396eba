import type { Request } from '../clients/request.js';

/** What a command that edits the configuration was asked for: the part of a call that does not depend on the table of commands. */
export interface EditRequest extends Request {
  readonly words: readonly string[];
  readonly wordsBefore: number | undefined;
  readonly args: readonly string[];
  readonly values: (option: string) => readonly string[];
}
