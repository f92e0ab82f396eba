import type { KnownServer } from '../../../inspect/known-servers.js';
import { firstSentence } from '../../../text/first-sentence.js';
import { ownCommand } from '../../../text/own-command.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { signatureOf } from '../../../workbench/listing/signature.js';
import { createToolSearch } from '../../../workbench/search/tool-search.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { toolFacts } from './tool-screens.js';

const maxHits = 20;

/** The known tools that fit the words best, ranked as for `open_toolbox`. */
export function searchTools(query: string, servers: readonly KnownServer[], call: Call): ExitCode {
  const { output } = call;
  const search = createToolSearch();
  search.update(
    servers.flatMap(({ toolbox, server, toolboxDescription, description, instructions, tools, isDisabled }) =>
      tools === undefined || isDisabled
        ? []
        : [{ toolbox, server, toolboxDescription, description, instructions, tools }],
    ),
  );
  const hits = search.query(query, { limit: maxHits });
  const rulesOf = (toolbox: string, server: string): Pick<KnownServer, 'asks'> =>
    servers.find((one) => one.toolbox === toolbox && one.server === server) ?? { asks: [] };
  output.document({
    query,
    tools: hits.map(({ toolbox, server, tool }) => ({ toolbox, server, ...toolFacts(tool, rulesOf(toolbox, server)) })),
  });
  for (const { toolbox, server, tool } of hits) {
    const isAsked = rulesOf(toolbox, server).asks.includes(tool.name);
    output.print(
      wrapped(
        `${shellQuote(toolbox)} ${shellQuote(server)}  ${signatureOf(tool)}${isAsked ? ' (asks)' : ''}`,
        output.width,
        0,
        8,
      ),
    );
    const sentence = firstSentence(tool.description);
    if (sentence !== '') output.print(wrapped(sentence, output.width, 4));
  }
  if (hits.length === 0) output.say('No known tool matches these words.');
  const unlisted = servers.filter(({ tools, isDisabled }) => tools === undefined && !isDisabled).length;
  if (unlisted > 0 && !output.isJson)
    output.say(`The tools of ${unlisted} of ${servers.length} servers are not known yet.`);
  const [first] = hits;
  if (first !== undefined)
    output.next([ownCommand('tools', [first.toolbox, first.server, first.tool.name], sameConfig(call))]);
  return exitCodes.ok;
}
