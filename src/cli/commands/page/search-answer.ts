import type { OpenToolboxResult } from '../../../contract/types.js';
import type { KnownServer } from '../../../inspect/known-servers.js';
import type { SearchAnswer, SearchHit } from '../../../page/messages.js';
import { estimateTokens } from '../../../text/estimate-tokens.js';
import { firstSentence } from '../../../text/first-sentence.js';
import { createMatchExplainer } from '../../../workbench/search/explain-match.js';
import type { OfflineAnswer } from './search-offline.js';

/** The answer with a row for each tool in it. `servers`: the searched ones. */
export function searchAnswer(
  { text, opened }: OfflineAnswer,
  query: string,
  servers: readonly KnownServer[],
): SearchAnswer {
  const explain = createMatchExplainer(query);
  const hits = entriesOf(opened).map(({ content, ...names }): SearchHit => {
    const source = servers.find((one) => one.toolbox === names.toolbox && one.server === names.server);
    const tool = source?.tools?.find(({ name }) => name === names.name);
    return {
      ...names,
      about: firstSentence(tool?.description),
      matches: source && tool ? explain({ ...source, tools: source.tools ?? [] }, tool) : [],
      tokens: estimateTokens(JSON.stringify(content)),
    };
  });
  return { text, tokens: estimateTokens(text), isError: opened === undefined, hits };
}

interface Entry extends Pick<SearchHit, 'toolbox' | 'server' | 'name'> {
  readonly content: unknown;
}

/** The tools of an answer, in its order: in full, and as rows. The rows of an overview are toolboxes. */
function entriesOf(opened: OpenToolboxResult | undefined): readonly Entry[] {
  if (opened === undefined) return [];
  const { tools, columns = [], rows = [] } = opened;
  const full = tools.map((tool) => ({ toolbox: tool.toolbox, server: tool.server, name: tool.name, content: tool }));
  const short = (columns.includes('name') ? rows : []).map((row) => {
    const cell = (column: string) => {
      const found = row[columns.indexOf(column)];
      return typeof found === 'string' ? found : '';
    };
    return {
      toolbox: columns.includes('toolbox') ? cell('toolbox') : opened.toolbox,
      ...{ server: cell('server'), name: cell('name'), content: row },
    };
  });
  return [...full, ...short];
}
