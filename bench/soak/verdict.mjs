import { check, fixed } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import { servers } from './servers.mjs';

const leastSuccess = 0.999;
const mostGrowth = 1.15;
const mostMoreDescriptors = 2;
/** A call sent just after a kill may be sent before the workbench notices the end of the server. */
const noticeMs = 1_000;

const isMortal = ({ toolbox, server }) =>
  servers.some((other) => other.toolbox === toolbox && other.server === server && other.mortal);

/**
 * Counts the outcomes of calls to servers that are never killed, and of calls to mortal ones. The latter may be lost to a
 * kill or refused by a crash loop; all others must succeed.
 */
export function judgeCalls(record, kills) {
  const counts = { steady: { good: 0, all: 0 }, mortal: { good: 0, all: 0 }, killed: 0, refused: 0 };
  const unexpected = [];
  for (const entry of record) {
    const good = entry.outcome === 'as expected';
    const mortal = isMortal(entry);
    if (!good && mortal && wasRefused(entry)) counts.refused++;
    else if (!good && mortal && wasKilled(entry, kills)) counts.killed++;
    else {
      const group = mortal ? counts.mortal : counts.steady;
      group.all++;
      if (good) group.good++;
      else unexpected.push(entry);
    }
  }
  return { ...counts, unexpected };
}

const wasRefused = ({ text }) => /crash loop: .* next try in \d+ s/.test(text);

function wasKilled({ toolbox, server, sent, answered, text }, kills) {
  const name = `${toolbox}/${server}`;
  return (
    text.includes('it was killed by SIGKILL') &&
    kills.some((kill) => kill.name === name && kill.at >= sent - noticeMs && kill.at <= answered)
  );
}

/** Calls that the servers executed twice, or that were answered though no server executed them. */
export function judgeExecutions(record, { executions, cancelled }) {
  const byId = new Map(record.map((entry) => [entry.id, entry]));
  return {
    twice: [...executions].filter(([, times]) => times > 1).map(([id]) => id),
    unknown: [...executions.keys()].filter((id) => !byId.has(id)),
    neverExecuted: record.filter(({ id, kind, outcome }) => {
      const mustRun = kind !== 'open' && kind !== 'cancelled' && outcome === 'as expected';
      return mustRun && !executions.has(id);
    }),
    // Calls that ran and were cancelled by the agent or a timeout, without a cancellation at the server.
    notCancelled: record.filter(({ id, kind, outcome, ...place }) => {
      const given = (kind === 'cancelled' || kind === 'timed out') && outcome === 'as expected';
      return given && executions.has(id) && !cancelled.has(id) && !isMortal(place);
    }),
  };
}

function success(what, { good, all }) {
  const share = good / all;
  // Rounded down: 99.9996 % must not become 100 %.
  return check(what, `${fixed(Math.floor(share * 1e5) / 1e3, 3)} % of ${all}`, '≥ 99.9 %', share >= leastSuccess);
}

/** The checks, for the table. */
export function verdict({ calls, executions, left, exit, descriptors, resident }) {
  const third = Math.floor(resident.samples.length / 3);
  const middle = median(resident.samples.slice(third, 2 * third));
  const last = median(resident.samples.slice(-third));
  const none = (what, list) => check(what, String(list.length), '0', list.length === 0);
  return [
    success('calls to servers that are never killed, with the expected outcome', calls.steady),
    success('calls to the others while they run, with the expected outcome', calls.mortal),
    none('calls executed twice', executions.twice),
    none('calls answered without being executed, or executed without being made', [
      ...executions.neverExecuted,
      ...executions.unknown,
    ]),
    none('calls cancelled or timed out without a cancellation at the server', executions.notCancelled),
    none('processes left after the end', left),
    check('exit code', String(exit.code), '0', exit.code === 0),
    check(
      'descriptors, before → after',
      `${descriptors.before} → ${descriptors.after}`,
      `+${mostMoreDescriptors}`,
      descriptors.after <= descriptors.before + mostMoreDescriptors,
    ),
    check('RSS, last third × middle third', fixed(last / middle, 2), `≤ ${mostGrowth}`, last / middle <= mostGrowth),
  ];
}
