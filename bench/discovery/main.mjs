// The cost of finding tools, and how often the right ones are found: `npm run bench:discovery -- [--data DIR] [--write]`.
// DIR holds servers.json, tools.jsonl and tasks*.jsonl as described in docs/internals/discovery.md; without it, data/ beside this file.
// --write updates the table in docs/internals/discovery.md. The exit code is 1 if a figure is missed.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable } from '../../scripts/markdown.mjs';
import { budgetChars } from './answers.mjs';
import { openFigures, taskFigures } from './costs.mjs';
import { readData } from './data.mjs';
import { createPlainSearch } from './plain-bm25f.mjs';
import { realServers } from './real-servers.mjs';
import { agentQuery, halves, meanRecall, question, recallWithinTokens } from './recall.mjs';
import { writeInto } from './report.mjs';
import { timings } from './timing.mjs';
import { loadWorkbench } from './workbench.mjs';

const ownData = fileURLToPath(new URL('data', import.meta.url));
const docs = fileURLToPath(new URL('../../docs/internals/discovery.md', import.meta.url));
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const tokens = (count) => Math.round(count).toLocaleString('en');
const milliseconds = (time) => `${time < 10 ? time.toFixed(3) : time.toFixed(0)} ms`;

const { values } = parseArgs({ options: { data: { type: 'string' }, write: { type: 'boolean', default: false } } });
const data = await readData(values.data ?? ownData);
const workbench = await loadWorkbench();

const search = workbench.createToolSearch();
search.update(data.sources);
const plain = createPlainSearch(data.sources);
const found = (text, limit) => search.query(text, { limit });
const plainFound = (text, limit) => plain.query(text, limit);

const rows = [...(await recallRows()), ...(await costRows()), ...timingRows()];
const text = [
  `${data.title}: ${data.tools.length} tools, ${data.sources.length} servers in ${data.toolboxes.length} toolboxes, ${data.tasks.length} tasks.`,
  '',
  printTable([['figure', 'reached', 'must reach', '', 'plain BM25F or naive'], ...rows]),
  '',
  stability(),
  '',
  await realServers(workbench),
].join('\n');
process.stdout.write(`${text}\n`);
if (values.write) await writeInto(docs, values.data === undefined ? 'own' : 'data', text);
if (rows.some(([, , , verdict]) => verdict === 'MISSED')) process.exitCode = 1;

async function recallRows() {
  const recall = (name, ask, limit, least) => {
    const reached = meanRecall(data.tasks, (task) => found(ask(task), limit));
    const yardstick = meanRecall(data.tasks, (task) => plainFound(ask(task), limit));
    return row(name, percent(reached), `≥ ${percent(least)}`, reached >= least, percent(yardstick));
  };
  const seen = await recallWithinTokens(data, workbench, search, 800);
  return [
    recall("recall@5, agent's first query, all toolboxes", agentQuery, 5, 0.48),
    recall("recall@10, agent's first query, all toolboxes", agentQuery, 10, 0.57),
    recall('recall@5, raw question, all toolboxes', question, 5, 0.46),
    recall('recall@10, raw question, all toolboxes', question, 10, 0.56),
    row("recall in the first 800 tokens, agent's first query", percent(seen), '≥ 60.0 %', seen >= 0.6, ''),
  ];
}

async function costRows() {
  const open = await openFigures(data, workbench);
  const task = await taskFigures(data, workbench, search);
  return [
    row('tokens per open, default', tokens(open.usual), '≤ 8,000', open.usual <= 8000, tokens(open.pretty)),
    row(
      'largest open, characters',
      tokens(open.largest),
      `≤ ${tokens(budgetChars)}`,
      open.largest <= budgetChars,
      tokens(open.largestPretty),
    ),
    row('tokens per open, names', tokens(open.names), '≤ 1,300', open.names <= 1300, tokens(open.pretty)),
    row(
      'tokens per task, oracle navigation, query',
      tokens(task.query),
      '≤ 4,000',
      task.query <= 4000,
      tokens(task.naive),
    ),
    row('tokens of all tools at once (flat exposure)', tokens(open.flat), '', undefined, ''),
  ];
}

function timingRows() {
  const { build, query, plainBuild, plainQuery, tools } = timings(data, workbench);
  const size = tools.toLocaleString('en');
  const fair = (time, reference) => time <= 1.5 * reference;
  return [
    row(`index build, ${size} tools`, milliseconds(build), '≤ 332 ms', fair(build, 221), milliseconds(plainBuild)),
    row(`query, ${size} tools`, milliseconds(query), '≤ 0.135 ms', fair(query, 0.09), milliseconds(plainQuery)),
  ];
}

function row(name, reached, must, passed, yardstick) {
  const verdict = passed === undefined ? '' : passed ? 'ok' : 'MISSED';
  return [name, reached, must, verdict, yardstick];
}

function stability() {
  const gains = halves(data.tasks, agentQuery, found, plainFound, 10);
  const questions = halves(data.tasks, question, found, plainFound, 10);
  const print = ({ low, high, share }) => `${percent(low)} to ${percent(high)}, better in ${percent(share)}`;
  return (
    `Recall@10 against plain BM25F on 1,000 random halves of the tasks, middle 90 % of the differences: agent's first query ` +
    `${print(gains)} of the halves; raw question ${print(questions)}.`
  );
}
