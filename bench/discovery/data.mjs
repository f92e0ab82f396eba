import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Servers with their tools, grouped into toolboxes by category, and tasks with the tools they need. */
export async function readData(folder) {
  const servers = JSON.parse(await readFile(join(folder, 'servers.json'), 'utf8'));
  const tools = await readLines(join(folder, 'tools.jsonl'));
  const taskFiles = (await readdir(folder)).filter((name) => /^tasks.*\.jsonl$/.test(name)).sort();
  const tasks = (await Promise.all(taskFiles.map((name) => readLines(join(folder, name))))).flat();
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');

  const sources = servers.map((server) => ({
    toolbox: server.category,
    server: server.id,
    description: `${server.title}. ${server.description}`,
    tools: tools.filter((tool) => tool.server === server.id).map(asTool),
  }));
  return {
    title: /^# (.*)/.exec(readme)?.[1] ?? 'Data',
    tasks,
    tools,
    sources,
    toolboxes: [...new Set(sources.map(({ toolbox }) => toolbox))],
    sourceOf: new Map(sources.map((source) => [source.server, source])),
  };
}

/** The labels of the data name a tool `server::tool`; used for comparison only. */
export function labelOf({ server, tool }) {
  return `${server}::${tool.name}`;
}

export function asTool({ name, title, description, inputSchema }) {
  return { name, ...(title && { title }), ...(description && { description }), inputSchema };
}

export async function readLines(file) {
  return (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
