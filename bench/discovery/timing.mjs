import { createPlainSearch } from './plain-bm25f.mjs';
import { agentQuery } from './recall.mjs';

const toolCount = 3000;
const rounds = 9;

/** The best of several rounds. The two searches alternate, so that other load affects both. */
export function timings(data, { createToolSearch }) {
  const sources = multiplied(data.sources);
  const queries = data.tasks.map(agentQuery);
  const best = { build: Infinity, query: Infinity, plainBuild: Infinity, plainQuery: Infinity };
  const keep = (figure, time) => {
    best[figure] = Math.min(best[figure], time);
  };
  for (let round = 0; round < rounds; round++) {
    let plain;
    keep(
      'plainBuild',
      timed(() => (plain = createPlainSearch(sources))),
    );
    const search = createToolSearch();
    search.update(sources);
    // The index is built by the first query.
    keep(
      'build',
      timed(() => search.query('')),
    );
    for (let turn = 0; turn < 5; turn++) {
      keep('plainQuery', timed(() => queries.forEach((text) => plain.query(text, 20))) / queries.length);
      keep('query', timed(() => queries.forEach((text) => search.query(text, { limit: 20 }))) / queries.length);
    }
  }
  return { ...best, tools: sources.reduce((sum, { tools }) => sum + tools.length, 0) };
}

/** The same servers repeated under other names, until there are enough tools. */
function multiplied(sources) {
  const result = [];
  for (let copy = 1, tools = 0; tools < toolCount; copy++) {
    for (const source of sources) {
      if (tools >= toolCount) break;
      result.push({ ...source, server: `${source.server} ${copy}`, tools: [...source.tools] });
      tools += source.tools.length;
    }
  }
  return result;
}

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}
