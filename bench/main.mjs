/**
 * npm run bench [-- start|large|memory …] [-- --quick] [-- --dry]
 *
 * Measures the built program (npm run build) and writes the figures into docs/performance.md; with --dry it only
 * prints them. Ends with code 1 if a figure is over its limit.
 */
import { parseArgs } from 'node:util';
import { allHold, provenance, table, writeSection } from './rig/report.mjs';
import { large } from './scenarios/large.mjs';
import { memory } from './scenarios/memory.mjs';
import { start } from './scenarios/start.mjs';

const scenarios = { start, large, memory };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, dry: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(scenarios, name));
if (unknown.length > 0)
  throw new Error(`no such scenario: ${unknown.join(', ')}; there are ${Object.keys(scenarios).join(', ')}`);

const chosen = positionals.length > 0 ? positionals : Object.keys(scenarios);
const begun = performance.now();
let good = true;
for (const name of chosen) {
  const { title, parts, checks } = await scenarios[name](options);
  const command = `npm run bench -- ${name}${options.quick ? ' --quick' : ''}`;
  const text = [provenance(command), ...parts, table(checks)].join('\n\n');
  console.log(`## ${title}\n\n${text}\n`);
  if (!options.dry) writeSection('performance.md', name, text);
  good &&= allHold(checks);
}
console.log(`${Math.round((performance.now() - begun) / 1000)} s in all`);
process.exitCode = good ? 0 : 1;
