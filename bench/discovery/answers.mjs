// The answers of open_toolbox, made by the workbench's own code.
const budgetChars = 32_000;

/** Opens a toolbox, with some detail or with the names of tools. */
export async function openAnswer({ describeTools }, toolbox, sources, request = {}) {
  return JSON.stringify(await describeTools(frame(toolbox, sources), served(sources), [], asked(request), nothing));
}

/** A query in one toolbox, or in all of them (`*`). */
export async function queryAnswer({ describeTools }, toolbox, sources, query, find) {
  const search = async (text, limit) => find(text, limit);
  return JSON.stringify(await describeTools(frame(toolbox, sources), served(sources), [], asked({ query }), search));
}

/** The naive answer: everything, as indented JSON. */
export function prettyAnswer(toolbox, sources) {
  const listed = sources.flatMap(({ server, tools }) => tools.map((tool) => ({ toolbox, server, ...tool })));
  return JSON.stringify({ ...frame(toolbox, sources), tools: listed }, undefined, 2);
}

function frame(toolbox, sources) {
  return { toolbox, description: `Tools for ${toolbox}`, servers_connected: sources.length, tools: [] };
}

function served(sources) {
  return sources.map(({ toolbox, server, tools }) => ({
    toolbox,
    server,
    tools,
    omissions: {},
    instructions: undefined,
  }));
}

function asked(request) {
  return { ...request, budgetChars };
}

async function nothing() {
  return [];
}
