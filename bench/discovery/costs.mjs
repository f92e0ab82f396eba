import { openAnswer, prettyAnswer, queryAnswer } from './answers.mjs';
import { agentQuery } from './recall.mjs';
import { countTokens } from './tokens.mjs';

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The cost of opening each toolbox once. */
export async function openFigures(data, workbench) {
  const opens = await Promise.all(
    data.toolboxes.map(async (toolbox) => {
      const sources = sourcesOf(data, toolbox);
      return {
        usual: await openAnswer(workbench, toolbox, sources),
        names: await openAnswer(workbench, toolbox, sources, { detail: 'names' }),
        pretty: prettyAnswer(toolbox, sources),
      };
    }),
  );
  return {
    usual: mean(opens.map(({ usual }) => countTokens(usual))),
    names: mean(opens.map(({ names }) => countTokens(names))),
    pretty: mean(opens.map(({ pretty }) => countTokens(pretty))),
    largest: Math.max(...opens.map(({ usual }) => usual.length)),
    largestPretty: Math.max(...opens.map(({ pretty }) => pretty.length)),
    // As in a client that has every server in its own configuration.
    flat: countTokens(JSON.stringify(data.sources.flatMap(({ tools }) => tools))),
  };
}

/**
 * The cost of a task for an agent that opens the right toolboxes: in each, one query with its first wording, then the
 * full schemas of the tools that the task needs. The naive way opens each of them in full.
 */
export async function taskFigures(data, workbench, search) {
  const costs = await Promise.all(
    data.tasks.map(async (task) => {
      const places = [...placesOf(data, task)];
      const answers = places.map(async ([toolbox, tools]) => {
        const sources = sourcesOf(data, toolbox);
        const find = (text, limit) => search.query(text, { toolbox, limit });
        return [
          await queryAnswer(workbench, toolbox, sources, agentQuery(task), find),
          await openAnswer(workbench, toolbox, sources, { tools }),
        ];
      });
      const pretty = places.map(([toolbox]) => prettyAnswer(toolbox, sourcesOf(data, toolbox)));
      return { query: tokensOf((await Promise.all(answers)).flat()), naive: tokensOf(pretty) };
    }),
  );
  return { query: mean(costs.map(({ query }) => query)), naive: mean(costs.map(({ naive }) => naive)) };
}

/** The tools that a task needs, by toolbox. Of tools that serve the same need, the first counts. */
function placesOf(data, task) {
  const places = new Map();
  for (const [label] of task.relevant) {
    const [server, name] = label.split('::');
    const { toolbox } = data.sourceOf.get(server);
    places.set(toolbox, [...(places.get(toolbox) ?? []), { server, name }]);
  }
  return places;
}

function sourcesOf(data, toolbox) {
  return data.sources.filter((source) => source.toolbox === toolbox);
}

function tokensOf(texts) {
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}
