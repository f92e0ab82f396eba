import type { Approvals, LiveMessage, LogTail, SearchAnswer } from '../messages.js';
import { changed, receive, set, state } from './state.js';

const keyName = 'mcp-workbench-key';
const firstRetryMs = 250;
const longestRetryMs = 1_000;
/** Something comes every two seconds: a connection that is silent for longer is dead. */
const silentMs = 8_000;

let key = '';

/** Takes the key out of the address, so that it is neither seen nor kept in the history. It lasts as long as the tab. */
export function takeKey(): void {
  const [, given] = /^#([\w-]{22})$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(keyName, given);
    history.replaceState(undefined, '', '#board');
  }
  key = sessionStorage.getItem(keyName) ?? '';
}

/** Reads what happens for as long as the page is open. */
export async function follow(): Promise<void> {
  if (key === '') return set({ connection: 'missing' });
  for (let wait = firstRetryMs; ; wait = Math.min(2 * wait, longestRetryMs)) {
    const outcome = await readStream(() => {
      wait = firstRetryMs;
    }).catch(() => 'lost' as const);
    if (outcome === 'refused') return set({ connection: 'refused' });
    set({ connection: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function readStream(onLive: () => void): Promise<'lost' | 'refused'> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), silentMs);
  try {
    const response = await ask('/api/live', {}, abort.signal);
    if (response.status === 401) return 'refused';
    if (!response.ok || response.body === null) return 'lost';
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'lost';
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), silentMs);
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it comes from our own program, of the same version
      for (const line of lines) receive(JSON.parse(line) as LiveMessage);
      if (state.connection !== 'live') set({ connection: 'live' });
      onLive();
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

function ask(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
  const parameters = new URLSearchParams(query).toString();
  return fetch(parameters === '' ? path : `${path}?${parameters}`, {
    headers: { Authorization: `Bearer ${key}` },
    cache: 'no-store',
    credentials: 'omit',
    ...(signal && { signal }),
  });
}

/** Opens or closes the details of a server. */
export async function toggle(toolbox: string, server: string): Promise<void> {
  const { open } = state;
  if (open?.toolbox === toolbox && open.server === server) return set({ open: undefined });
  set({ open: { toolbox, server, log: undefined } });
  await readLog();
}

/** Goes to the board, with the details of this server open. */
export async function showServer(toolbox: string, server: string): Promise<void> {
  location.hash = 'board';
  set({ open: { toolbox, server, log: undefined } });
  await readLog();
}

/** The log of the server whose details are open. */
export async function readLog(): Promise<void> {
  const { open } = state;
  if (open === undefined || state.connection !== 'live') return;
  const log = await read<LogTail>('/api/log', { toolbox: open.toolbox, server: open.server });
  if (log === undefined) return;
  open.log = log;
  changed();
}

let comparedFor: string | undefined;

/** What is not as it was approved: read when it is shown, and when the board shows that it may be something else. */
export async function readApprovals(isShownNow = false): Promise<void> {
  const rows = state.board?.toolboxes.flatMap(({ servers }) => servers) ?? [];
  const current = JSON.stringify(
    rows.map(({ toolbox, server, changes, listedAt }) => [toolbox, server, changes, listedAt]),
  );
  if (state.view !== 'approvals' || (!isShownNow && current === comparedFor)) return;
  const approvals = await read<Approvals>('/api/approvals', {});
  if (approvals === undefined) return;
  comparedFor = current;
  set({ approvals });
}

/** Only the last question is answered. */
let asked = 0;

export async function search(): Promise<void> {
  const mine = ++asked;
  set({ isSearching: true });
  const found = await read<SearchAnswer>('/api/search', { toolbox: state.searchIn, query: state.query });
  if (mine === asked) set({ found, isSearching: false });
}

/** Undefined if there is no answer. */
async function read<T>(path: string, query: Readonly<Record<string, string>>): Promise<T | undefined> {
  const response = await ask(path, query).catch(() => undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it comes from our own program, of the same version
  return response?.ok === true ? ((await response.json()) as T) : undefined;
}
