import { join } from 'node:path';
import { fileName } from '../../../config/files/find.js';
import { serverLogFiles } from '../../../downstream/logs/log-names.js';
import type { PageSource } from '../../../page/server/page-source.js';
import { cacheDirectoryOf, configDirectoryOf, logDirectoryOf } from '../../../platform/directories.js';
import { ownCommand } from '../../../text/own-command.js';
import { printable } from '../../../text/printable.js';
import { shorten } from '../../../text/shorten.js';
import type { Call } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { startTokens } from '../../state/start-tokens.js';
import { nextFor } from '../../state/state-text.js';
import { lastLines } from '../logs/log-lines.js';
import { searchOffline } from '../tools/search-offline.js';

const shownLines = 60;
const longestLine = 1_000;

/** What commands such as `list`, `tools` and `logs` show, for the page. */
export function createPageSource(call: Call): PageSource {
  const { computer, value, commands } = call;
  const expected = join(configDirectoryOf(computer), fileName);
  const begin = ['init', 'schema', 'help']
    .filter((name) => commands.some((command) => command.name === name))
    .slice(0, 2)
    .map((name) => ownCommand(name, []));
  let configured: Configured | undefined;

  return {
    ...{ computer, expected, begin, startTokens },
    next: (server) => nextFor(server, call),

    config: () => configured?.path ?? null,

    async configuration() {
      configured = await readConfigured(value('config'), computer, () => {});
      return configured;
    },

    logLines(toolbox, server) {
      // Only of servers of the configuration: a log has the name of its server.
      if (configured?.toolboxes.get(toolbox)?.mcpServers.has(server) !== true) return undefined;
      const last = lastLines(serverLogFiles(logDirectoryOf(computer), { toolbox, name: server }), shownLines);
      return last?.lines.map((line) => shorten(printable(line), longestLine));
    },

    search: (toolbox, query) =>
      searchOffline(value('config'), computer, join(cacheDirectoryOf(computer), 'tools'), { toolbox, query }),
  };
}
