import type { ServerResponse } from 'node:http';
import { followSessions } from '../../inspect/sessions-model.js';
import type { Board, LiveMessage, ToolRow } from '../messages.js';
import { createBoardMaker } from './board.js';
import type { PageSource } from './page-source.js';

/** Sends everything that the page shows to the browsers that have it open, and what changes as it does. */
export interface LiveFeed {
  /** A browser stays until it goes or the feed is closed. */
  add(response: ServerResponse): void;
  close(): void;
}

/** What happens together is sent together. */
const sendEveryMs = 200;
/** Memory changes, time passes, and files are edited. */
const refreshEveryMs = 2_000;
/** A browser that does not read is disconnected; it connects again, and gets what is new then. */
const maxBacklogBytes = 8_388_608;

export interface FeedOptions {
  readonly source: PageSource;
  /** Of hosts only this one is watched, if it is given. */
  readonly host?: string | undefined;
  /** Where sessions look for their host: one that does not answer is shown. */
  readonly ownHost: string;
  /** Of the sockets; another one only in tests. */
  readonly directory?: string | undefined;
}

export function createLiveFeed({ source, host, ownHost, directory }: FeedOptions): LiveFeed {
  const browsers = new Set<ServerResponse>();
  let isStale = true;
  let board: Board | undefined;
  let tools: readonly ToolRow[] = [];
  let listed = '';
  const model = followSessions(
    () => source.config(),
    () => {
      isStale = true;
    },
    ownHost,
    { host, directory },
  );
  const maker = createBoardMaker(source, model);

  function send(to: Iterable<ServerResponse>, messages: readonly LiveMessage[]): void {
    if (messages.length === 0) return;
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    for (const browser of to) {
      if (browser.writableLength > maxBacklogBytes) browser.destroy();
      else browser.write(lines);
    }
  }

  async function newBoard(): Promise<LiveMessage[]> {
    isStale = false;
    board = await maker.make();
    const now = listingOf(board);
    if (now === listed) return [{ is: 'board', board }];
    listed = now;
    tools = await maker.tools();
    return [
      { is: 'board', board },
      { is: 'tools', tools },
    ];
  }

  async function work(): Promise<void> {
    const messages = isStale && browsers.size > 0 ? await newBoard() : [];
    // After the wait: a browser that connected during it already has the earlier calls.
    const news = model.calls.news();
    send(browsers, [...messages, ...(news === undefined ? [] : [{ is: 'calls', ...news } as const])]);
  }

  const next = repeat(sendEveryMs, work);
  const refresh = repeat(refreshEveryMs, async () => {
    if (browsers.size === 0) return;
    await maker.measure();
    isStale = true;
  });
  return {
    add(response) {
      response.once('close', () => browsers.delete(response));
      // The others have all calls up to now as well.
      const news = model.calls.news();
      if (news !== undefined) send(browsers, [{ is: 'calls', ...news }]);
      browsers.add(response);
      isStale = true;
      const all: LiveMessage = { is: 'calls', calls: model.calls.all(), isAll: true };
      send(
        [response],
        [...(board === undefined ? [] : [{ is: 'board', board } as const]), { is: 'tools', tools }, all],
      );
      void maker.measure().then(() => {
        isStale = true;
      });
    },
    close() {
      next();
      refresh();
      model.close();
      for (const browser of browsers) browser.destroy();
    },
  };
}

/** Which tools are known: if this is the same, they are. */
function listingOf({ toolboxes }: Board): string {
  return JSON.stringify(
    toolboxes.flatMap(({ servers }) =>
      servers.map(({ toolbox, server, tools, listedAt }) => [toolbox, server, tools, listedAt]),
    ),
  );
}

/** Does the work again and again, never twice at the same time. What fails is tried again. The returned function ends it. */
function repeat(everyMs: number, work: () => Promise<void>): () => void {
  let isOver = false;
  let timer = setTimeout(() => void run(), 0);
  async function run(): Promise<void> {
    await work().catch(() => {});
    if (!isOver) timer = setTimeout(() => void run(), everyMs);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
