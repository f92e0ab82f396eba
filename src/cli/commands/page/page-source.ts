import { join } from 'node:path';
import { fileName } from '../../../config/files/find.js';
import type { Tool } from '../../../contract/types.js';
import { serverLogFiles } from '../../../downstream/logs/log-names.js';
import type { Mark, ToolRow } from '../../../page/messages.js';
import type { Known, KnownServer, PageSource } from '../../../page/server/page-source.js';
import { cacheDirectoryOf, configDirectoryOf, logDirectoryOf } from '../../../platform/directories.js';
import { toolTokens } from '../../../results/tool-tokens.js';
import { firstSentence } from '../../../text/first-sentence.js';
import { ownCommand } from '../../../text/own-command.js';
import { printable } from '../../../text/printable.js';
import { shorten } from '../../../text/shorten.js';
import type { Call } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { readLockOf } from '../../state/lock-changes.js';
import { type ServerState, serverStates } from '../../state/server-states.js';
import { startTokens } from '../../state/start-tokens.js';
import { nextFor } from '../../state/state-text.js';
import { knownServers } from '../list/known-servers.js';
import { lastLines } from '../logs/log-lines.js';
import { searchOffline } from '../tools/search-offline.js';

const shownLines = 60;
const longestLine = 1_000;
const longestReasonShown = 300;

/** What commands such as `list`, `tools` and `logs` show, for the page. */
export function createPageSource(call: Call): PageSource {
  const { computer, value, commands } = call;
  const cacheDirectory = cacheDirectoryOf(computer);
  const expected = join(configDirectoryOf(computer), fileName);
  const begin = ['init', 'schema', 'help']
    .filter((name) => commands.some((command) => command.name === name))
    .slice(0, 2)
    .map((name) => ownCommand(name, []));
  let configured: Configured | undefined;

  return {
    config: () => configured?.path ?? null,

    async read(processes): Promise<Known> {
      configured = await readConfigured(value('config'), computer, () => {});
      if (configured === undefined) return { config: null, expected, begin, startTokens: 0, toolboxes: [] };
      const compare = await readLockOf(configured.path, computer);
      const states = serverStates(configured, processes, cacheDirectory, compare);
      return {
        config: configured.path,
        expected,
        begin,
        startTokens: startTokens(configured),
        toolboxes: Array.from(configured.toolboxes, ([name, { description }]) => ({
          name,
          description,
          servers: states.filter(({ toolbox }) => toolbox === name).map((state) => rowOf(state, call)),
        })),
      };
    },

    async tools() {
      const servers = configured === undefined ? [] : await knownServers(configured, computer, {});
      return servers.flatMap(({ toolbox, server, tools = [], asks, isDisabled }) =>
        isDisabled ? [] : tools.map((tool) => toolRow(toolbox, server, tool, asks.includes(tool.name))),
      );
    },

    logLines(toolbox, server) {
      // Only of servers of the configuration: a log has the name of its server.
      if (configured?.toolboxes.get(toolbox)?.mcpServers.has(server) !== true) return undefined;
      const last = lastLines(serverLogFiles(logDirectoryOf(computer), { toolbox, name: server }), shownLines);
      return last?.lines.map((line) => shorten(printable(line), longestLine));
    },

    search: (toolbox, query) =>
      searchOffline(value('config'), computer, join(cacheDirectory, 'tools'), { toolbox, query }),
  };
}

function rowOf(state: ServerState, call: Call): KnownServer {
  const { toolbox, server, since, clients, failure, known, silent } = state;
  const reason = silent === undefined ? failure?.reason : `session ${silent} does not answer`;
  return {
    ...{ toolbox, server, since, clients, state: state.state },
    reason: reason === undefined ? undefined : shorten(printable(reason), longestReasonShown),
    next: nextFor(state, call),
    tools: known?.tools.length,
    tokens: known?.tokens,
    listedAt: known?.at,
  };
}

function toolRow(toolbox: string, server: string, tool: Tool, asks: boolean): ToolRow {
  const about = firstSentence(tool.description);
  return { toolbox, server, name: tool.name, about, tokens: toolTokens(tool), marks: marksOf(tool, asks) };
}

/** Whether a person is asked, and the hints that the server gives; what it does not say is not shown. */
function marksOf({ annotations }: Tool, asks: boolean): Mark[] {
  const marks: [Mark, boolean][] = [
    ['asks', asks],
    ['read-only', annotations?.readOnlyHint === true],
    ['destructive', annotations?.destructiveHint === true && annotations.readOnlyHint !== true],
    ['idempotent', annotations?.idempotentHint === true],
    ['open world', annotations?.openWorldHint === true],
  ];
  return marks.flatMap(([mark, holds]) => (holds ? [mark] : []));
}
