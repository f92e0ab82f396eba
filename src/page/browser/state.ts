import { type CallRow, withNews } from '../../inspect/call-log.js';
import type { Approvals, Board, LiveMessage, LogTail, SearchAnswer, ToolRow } from '../messages.js';

export const views = ['board', 'tools', 'calls', 'search', 'approvals'] as const;
export type ViewName = (typeof views)[number];

/** - `refused`: the key is wrong. - `missing`: there is none. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused' | 'missing';

export type ToolSort = 'name' | 'place' | 'tokens' | 'calls' | 'errors' | 'used';

/** Everything that is shown depends on this, and on the time. */
export interface State {
  connection: Connection;
  view: ViewName;
  board: Board | undefined;
  tools: readonly ToolRow[];
  /** From old to new. */
  calls: readonly CallRow[];
  /** The server whose details are open. */
  open: { readonly toolbox: string; readonly server: string; log: LogTail | undefined } | undefined;
  /** The id of the call whose details are open. */
  openCall: number | undefined;
  toolFilter: string;
  toolSort: ToolSort;
  isToolSortUp: boolean;
  callFilter: string;
  onlyFailed: boolean;
  /** The calls that are shown while the list is paused. */
  paused: readonly CallRow[] | undefined;
  shownCalls: number;
  searchIn: string;
  query: string;
  found: SearchAnswer | undefined;
  isSearching: boolean;
  /** Whether the answer to a search is shown as the agent reads it. */
  isRaw: boolean;
  approvals: Approvals | undefined;
  /** The command that was just copied. */
  copied: string | undefined;
}

export const callsAtOnce = 100;

export const state: State = {
  connection: 'connecting',
  view: 'board',
  board: undefined,
  tools: [],
  calls: [],
  open: undefined,
  openCall: undefined,
  toolFilter: '',
  toolSort: 'tokens',
  isToolSortUp: false,
  callFilter: '',
  onlyFailed: false,
  paused: undefined,
  shownCalls: callsAtOnce,
  searchIn: '*',
  query: '',
  found: undefined,
  isSearching: false,
  isRaw: false,
  approvals: undefined,
  copied: undefined,
};

let isScheduled = false;
let draw = () => {};

/** What draws the page. */
export function onChange(render: () => void): void {
  draw = render;
}

/** Draws soon, however many changes there are until then. */
export function changed(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

export function set(change: Partial<State>): void {
  Object.assign(state, change);
  changed();
}

export function receive(message: LiveMessage): void {
  switch (message.is) {
    case 'board':
      return set({ board: message.board });
    case 'tools':
      return set({ tools: message.tools });
    case 'calls':
      return set({ calls: message.isAll ? message.calls : withNews(state.calls, message.calls) });
  }
}
