import type { FoundProcess } from '../../inspect/list-sessions.js';
import type { Board, SearchAnswer, ServerRow, ToolRow } from '../messages.js';

/** What the page shows of the configuration and of the files that sessions leave. Reading it starts no server and writes nothing. */
export interface PageSource {
  /** The path of the configuration; null if there is none. */
  config(): string | null;
  /** `processes`: those that serve sessions now. Throws for a configuration with faults. */
  read(processes: readonly FoundProcess[]): Promise<Known>;
  tools(): Promise<readonly ToolRow[]>;
  /** The last lines that a server wrote; undefined if it has no log. */
  logLines(toolbox: string, server: string): readonly string[] | undefined;
  /** What `open_toolbox` answers. */
  search(toolbox: string, query: string): Promise<SearchAnswer>;
}

export interface Known extends Pick<Board, 'config' | 'expected' | 'begin' | 'startTokens'> {
  readonly toolboxes: readonly {
    readonly name: string;
    readonly description: string;
    readonly servers: readonly KnownServer[];
  }[];
}

export type KnownServer = Omit<ServerRow, 'processes' | 'memory' | 'lastMemory' | 'software' | 'startMs' | 'lives'>;
