import type { ServerState } from '../../inspect/server-states.js';
import type { WrittenConfiguration } from '../../inspect/written-servers.js';
import type { Computer } from '../../platform/computer.js';
import type { Approvals, Board, SearchAnswer } from '../messages.js';

/** What the page gets from the command that serves it. Reading it starts no server and writes nothing. */
export interface PageSource extends Pick<Board, 'expected' | 'begin'> {
  readonly computer: Computer;
  /** The path of the configuration, as it could last be read; null if there is none. */
  config(): string | null;
  /** Undefined if there is no configuration. Throws for one with faults. */
  configuration(): Promise<WrittenConfiguration | undefined>;
  /** What a model reads at the start of a session. */
  startTokens(written: WrittenConfiguration): number;
  /** The command that helps with a server. */
  next(server: ServerState): string | undefined;
  /** The last lines of the log of a server; undefined if it has none. */
  logLines(toolbox: string, server: string): readonly string[] | undefined;
  /** What `open_toolbox` answers. */
  search(toolbox: string, query: string): Promise<SearchAnswer>;
  /** What is known to differ from what was approved. */
  approvals(): Promise<Approvals>;
}
