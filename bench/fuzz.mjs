/**
 * npm run fuzz [-- --minutes N] [-- --seed N] [-- --rounds N] [-- --dry]
 *
 * Hostile servers, each with a random combination of the attacks of test/fixtures/hostile-server/, beside an ordinary one, in
 * rounds of a new workbench each. Calls to the ordinary server must be answered, and soon; nothing may be left running. Writes the
 * result into docs/internals/reliability.md; with --dry it only prints it. `--seed N --rounds 1` repeats one round. Exits with code 1 if a
 * check fails. Linux only.
 */
import { parseArgs } from 'node:util';
import { runRound } from './fuzz/round.mjs';
import { allHold, atMost, check, fixed, provenance, table, writeSection } from './rig/report.mjs';
import { median, percentile } from './rig/statistics.mjs';

const roundMs = 12_000;
const maxP99Ms = 250;
const maxMiB = 700;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rounds: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
});
const seed = Number(options.seed);
const end = performance.now() + Number(options.minutes) * 60_000;
const wanted = options.rounds === undefined ? Infinity : Number(options.rounds);

const rounds = [];
while (rounds.length < wanted && performance.now() < end) {
  const round = await runRound(seed + rounds.length, roundMs);
  rounds.push(round);
  const { calls, failures, peakMiB, left, exit } = round;
  const slowest = fixed(Math.max(...calls));
  console.log(
    `${round.seed}  ${round.attacks.map((names) => names.join('+')).join('  ')}\n        ${calls.length} calls, slowest ${slowest} ms, ${failures.length} failed, ${fixed(peakMiB)} MiB, exit ${exit.code ?? exit.signal}, ${left.length} left`,
  );
  for (const problem of [...failures, ...left].slice(0, 3)) console.log(`        ${problem.slice(0, 300)}`);
}

const calls = rounds.flatMap((round) => round.calls);
const failures = rounds.flatMap((round) => round.failures);
const left = rounds.flatMap((round) => round.left);
const badExits = rounds.filter(({ exit }) => exit.code !== 0);
const none = (what, list) => check(what, String(list.length), '0', list.length === 0);
const checks = [
  none('calls to the ordinary server that failed', failures),
  atMost('calls to the ordinary server, p99, ms', percentile(calls, 0.99), maxP99Ms, 0),
  none('processes left after the end', left),
  none('workbenches that did not exit with code 0', badExits),
  atMost('peak RSS of a workbench, MiB', Math.max(...rounds.map(({ peakMiB }) => peakMiB)), maxMiB, 0),
];
const tried = new Set(rounds.flatMap((round) => round.attacks.flat()));
const text = [
  provenance(`npm run fuzz -- --minutes ${options.minutes} --seed ${options.seed}`),
  `${rounds.length} rounds with ${rounds.flatMap((round) => round.attacks).length} hostile servers, ${tried.size} different attacks; ${calls.length} calls to the ordinary server, median ${fixed(median(calls), 1)} ms, slowest ${fixed(Math.max(...calls))} ms.`,
  table(checks),
].join('\n\n');
console.log(`\n${text}`);
if (!options.dry) writeSection('reliability.md', 'fuzz', text);
process.exitCode = allHold(checks) ? 0 : 1;
