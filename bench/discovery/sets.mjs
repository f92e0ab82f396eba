// How often the right tools are found in other people's data: `npm run bench:sets -- DIR [--before CHECKOUT]`.
// DIR holds one folder per set, each with tools.jsonl (id, server, name, description, inputSchema) and tasks.jsonl (question,
// relevant: a list of needs, each a list of ids). CHECKOUT is another checkout of this project to compare with.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../../scripts/markdown.mjs';
import { asTool, readLines } from './data.mjs';
import { loadWorkbench } from './workbench.mjs';

// `own name`: the share of tools that are first if their name is the query, as it is, in words and in PascalCase.
const ranks = [1, 5];
const limit = Math.max(...ranks);
const percent = (share) => (100 * share).toFixed(1);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { before: { type: 'string' } } });
const [directory] = positionals;
if (directory === undefined) throw new Error('Usage: npm run bench:sets -- DIR [--before CHECKOUT]');

const searches = [...(values.before === undefined ? [] : [await loadWorkbench(values.before)]), await loadWorkbench()];
const sets = await readSets(directory);
const figures = sets.map((set) => searches.map((workbench) => figuresOf(set, workbench)));
const heads = [...ranks.map((rank) => `recall@${rank}`), 'own name'].flatMap((head) =>
  searches.length === 1 ? [head] : [`${head} before`, head],
);
process.stdout.write(
  `${printTable([['set', 'tools', 'tasks', ...heads], ...sets.map(setRow), meanRow(), ...othersRows()])}\n`,
);

function setRow({ name, tools, tasks }, at) {
  return [name, String(tools.length), String(tasks.length), ...cells((search, figure) => figures[at][search][figure])];
}

function meanRow(without) {
  const counted = figures.filter((_, at) => at !== without);
  const name = without === undefined ? 'mean over sets' : `mean without ${sets[without].name}`;
  return [name, '', '', ...cells((search, figure) => mean(counted.map((set) => set[search][figure])))];
}

/** A gain that one set alone accounts for is gone from the row without it. */
function othersRows() {
  return sets.map((_, at) => meanRow(at));
}

function cells(valueOf) {
  const columns = figures[0][0].keys();
  return [...columns].flatMap((figure) => searches.map((_, search) => percent(valueOf(search, figure))));
}

/** For each rank the share of needs that are met by then, averaged over tasks; then the share found by name. */
function figuresOf({ tools, tasks }, { createToolSearch }) {
  const idOf = new Map();
  const byServer = new Map();
  for (const { id, server, ...tool } of tools) {
    const indexed = asTool(tool);
    idOf.set(indexed, id);
    byServer.set(server, [...(byServer.get(server) ?? []), indexed]);
  }
  const search = createToolSearch();
  search.update(Array.from(byServer, ([server, listed]) => ({ toolbox: 'all', server, tools: listed })));
  // Some questions contain code; the separator of steps means nothing in them.
  const ask = (text) => search.query(text.replaceAll(';', ','), { limit }).map(({ tool }) => tool);
  const found = tasks.map(({ question }) => ask(question).map((tool) => idOf.get(tool)));
  const names = tools.flatMap(({ name }) => stylesOf(name).map((query) => ({ name, query })));
  return [
    ...ranks.map((rank) => mean(tasks.map(({ relevant }, at) => shareMet(relevant, found[at].slice(0, rank))))),
    mean(names.map(({ name, query }) => (lettersOf(ask(query)[0]?.name ?? '') === lettersOf(name) ? 1 : 0))),
  ];
}

function stylesOf(name) {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [name];
  return [name, words.join(' '), words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')];
}

/** Tools whose names differ in style only are equally right. */
function lettersOf(name) {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function shareMet(needs, ids) {
  return mean(needs.map((need) => (need.some((id) => ids.includes(id)) ? 1 : 0)));
}

async function readSets(folder) {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const names = entries.map(({ name }) => name).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      tools: await readLines(join(folder, name, 'tools.jsonl')),
      tasks: await readLines(join(folder, name, 'tasks.jsonl')),
    })),
  );
}
