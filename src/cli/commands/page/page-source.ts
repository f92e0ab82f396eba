import { join } from 'node:path';
import { fileName } from '../../../config/files/find.js';
import type { ServerNames } from '../../../config/lock-file/tool-lock.js';
import { serverLogFiles } from '../../../downstream/logs/log-names.js';
import { knownServers } from '../../../inspect/known-servers.js';
import type { PageSource } from '../../../page/server/page-source.js';
import { cacheDirectoryOf, configDirectoryOf, logDirectoryOf } from '../../../platform/directories.js';
import { ownCommand } from '../../../text/own-command.js';
import { printable } from '../../../text/printable.js';
import { shorten } from '../../../text/shorten.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { startTokens } from '../../state/start-tokens.js';
import { nextFor } from '../../state/state-text.js';
import { lastLines } from '../logs/log-lines.js';
import { approvalsOf } from './approvals.js';
import { searchAnswer } from './search-answer.js';
import { searchOffline } from './search-offline.js';

const shownLines = 60;
const longestLine = 1_000;

/** What commands such as `list`, `tools` and `logs` show, for the page. */
export function createPageSource(call: Call): PageSource {
  const { computer, value, commands } = call;
  const expected = join(configDirectoryOf(computer), fileName);
  const [added = ownCommand('add', [])] = commands.find(({ name }) => name === 'add')?.examples ?? [];
  const begin = [
    { command: ownCommand('init', []), does: 'brings the servers of your clients together; asks before it writes' },
    { command: added, does: 'adds one server, such as this one' },
  ];
  let configured: Configured | undefined;

  return {
    ...{ computer, expected, begin, startTokens },
    next(server) {
      const { command, says } = nextFor(server, call);
      return command ?? says;
    },

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

    async search(toolbox, query) {
      const directory = join(cacheDirectoryOf(computer), 'tools');
      const answer = await searchOffline(value('config'), computer, directory, { toolbox, query });
      return searchAnswer(answer, query, configured === undefined ? [] : await knownServers(configured, computer, {}));
    },

    async approvals() {
      if (configured === undefined) return { servers: [] };
      const commandFor = ({ toolbox, server }: ServerNames) =>
        ownCommand('approve', [toolbox, server], sameConfig(call));
      return approvalsOf(configured, computer, commandFor);
    },
  };
}
