import { queryAnswer } from './answers.mjs';
import { labelOf } from './data.mjs';
import { firstTokens } from './tokens.mjs';

/** What a real agent searched for first: the wording for the server, then the wording for the tool. */
export function agentQuery({ agentQueries: [first] }) {
  return `${first.server} ${first.tool}`;
}

export function question(task) {
  return task.question;
}

/** The share of a task's needs that are met. Each need is a list of tools, any of which serves it. */
function recall(task, hits) {
  const found = new Set(hits.map(labelOf));
  const met = task.relevant.filter((need) => need.some((label) => found.has(label)));
  return met.length / task.relevant.length;
}

/** The mean over tasks. Every task counts the same, however many needs it has. */
export function meanRecall(tasks, hitsFor) {
  return tasks.reduce((sum, task) => sum + recall(task, hitsFor(task)), 0) / tasks.length;
}

/** A tool counts as seen if toolbox, server and name are complete within the first tokens of the answer. */
export async function recallWithinTokens(data, workbench, search, limit) {
  let sum = 0;
  for (const task of data.tasks) {
    let hits = [];
    const find = (text, most) => (hits = search.query(text, { limit: most }));
    const answer = await queryAnswer(workbench, '*', data.sources, agentQuery(task), find);
    const seen = firstTokens(answer, limit);
    sum += recall(
      task,
      hits.filter(({ toolbox, server, tool }) => seen.includes(startOfRow(toolbox, server, tool.name))),
    );
  }
  return sum / data.tasks.length;
}

function startOfRow(...cells) {
  return JSON.stringify(cells).slice(0, -1);
}

/** How the difference from another search varies with the choice of tasks. */
export function halves(tasks, ask, found, other, limit) {
  const differences = tasks.map(
    (task) => recall(task, found(ask(task), limit)) - recall(task, other(ask(task), limit)),
  );
  const random = randomNumbers(1);
  const means = Array.from({ length: 1000 }, () => {
    const half = shuffled(differences, random).slice(0, Math.ceil(differences.length / 2));
    return half.reduce((sum, value) => sum + value, 0) / half.length;
  }).sort((one, two) => one - two);
  return { low: means[50], high: means[949], share: means.filter((mean) => mean > 0).length / means.length };
}

function shuffled(values, random) {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((one, two) => one.key - two.key)
    .map(({ value }) => value);
}

/** The same numbers in every run (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
