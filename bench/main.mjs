/**
 * npm run bench [-- start commands calls large select throughput memory growth remote shared http page runners peers] [-- --quick] [-- --dry] [-- --inherit] [-- --against DIR]
 *
 * Measures the built program (npm run build) and writes the figures into docs/internals/performance.md; with --dry it only
 * prints them. Without names it runs everything except page, which needs Debian's Chromium, and runners and peers,
 * which install packages from npm. --quick runs fewer
 * rounds; --inherit gives the processes this shell's environment; --against measures the program built in another checkout
 * beside it, as `before`. Exits with code 1 if a figure exceeds its limit.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allHold, provenance, table, writeSection } from './rig/report.mjs';
import { compareWith } from './rig/systems.mjs';
import { calls } from './scenarios/calls.mjs';
import { commands } from './scenarios/commands.mjs';
import { growth } from './scenarios/growth.mjs';
import { httpService } from './scenarios/http.mjs';
import { large } from './scenarios/large.mjs';
import { memory } from './scenarios/memory.mjs';
import { page } from './scenarios/page.mjs';
import { peers } from './scenarios/peers.mjs';
import { remote } from './scenarios/remote.mjs';
import { runners } from './scenarios/runners.mjs';
import { select } from './scenarios/select.mjs';
import { shared } from './scenarios/shared.mjs';
import { start } from './scenarios/start.mjs';
import { throughput } from './scenarios/throughput.mjs';

const everything = {
  start,
  commands,
  calls,
  large,
  select,
  throughput,
  memory,
  growth,
  remote,
  shared,
  http: httpService,
};
const scenarios = { ...everything, page, runners, peers };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    inherit: { type: 'boolean', default: false },
    against: { type: 'string' },
  },
});
if (options.against !== undefined) compareWith(resolve(options.against));
const unknown = positionals.filter((name) => !Object.hasOwn(scenarios, name));
if (unknown.length > 0)
  throw new Error(`unknown scenario: ${unknown.join(', ')}; known: ${Object.keys(scenarios).join(', ')}`);

const flags = ['quick', 'inherit'].filter((name) => options[name]).map((name) => `--${name}`);
const commandWith = (...words) => ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ');

function publish(section, title, text) {
  console.log(`## ${title}\n\n${text}\n`);
  if (!options.dry) writeSection('performance.md', section, text);
}

// An early exit runs the same cleanup.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const begun = performance.now();
const allChecks = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(everything)) {
  const { title, parts, checks } = await scenarios[name](options);
  const from = provenance(commandWith(name, ...flags));
  publish(name, title, [from, ...parts, ...(checks.length > 0 ? [table(checks)] : [])].join('\n\n'));
  allChecks.push(...checks);
}
const missed = allChecks.filter((check) => !allHold([check]));
if (missed.length > 0) console.log(`## Over their limits\n\n${table(missed)}\n`);
console.log(`${Math.round((performance.now() - begun) / 1000)} s in all`);
process.exitCode = allHold(allChecks) ? 0 : 1;
