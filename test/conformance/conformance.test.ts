import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { type Adapter, startAdapter } from './adapter.js';
import { beforeLegacyServer, type ExpectedFailure } from './expected-failures.js';
import { type Revision, runSuite, type SuiteRun, scoredScenarios } from './suite.js';

const runs: readonly [agent: Revision, server: 'legacy' | '2026-07-28', expected: readonly ExpectedFailure[]][] = [
  ['2026-07-28', '2026-07-28', []],
  ['2025-11-25', '2026-07-28', []],
  ['2025-11-25', 'legacy', []],
  ['2026-07-28', 'legacy', beforeLegacyServer],
];

describe.concurrent.each(runs)('an agent of %s with a %s server', (agent, server, expected) => {
  const marker = randomUUID();
  const log: string[] = [];
  let adapter: Adapter | undefined;
  let run: SuiteRun;

  beforeAll(async () => {
    adapter = await startAdapter({ protocol: server, isFlat: true, marker, log: createLog((line) => log.push(line)) });
    const mayFail = expected.map(({ scenario, check }) => `${scenario}:${check}`);
    run = await runSuite(adapter.url, agent, mayFail);
  }, 300_000);

  afterAll(async () => {
    await adapter?.close();
    await expectNoProcessLeft(marker);
  });

  /** The failed checks of a scenario, as `[check, message]`. */
  function faultsOf(scenario: string): [string, string][] {
    const faults = run.checks.get(scenario)?.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    return (faults ?? []).map(({ id, errorMessage = '' }) => [id, errorMessage]);
  }

  test.each(scoredScenarios(agent))('passes %s', (scenario) => {
    const known = new Set(expected.filter((failure) => failure.scenario === scenario).map(({ check }) => check));
    const faults = faultsOf(scenario).filter(([check]) => !known.has(check));
    expect(faults, log.join('')).toEqual([]);
    expect(run.checks.get(scenario)?.map(({ status }) => status)).toContain('SUCCESS');
  });

  test.each(expected)('except $check, because $reason', ({ scenario, check }) => {
    expect(faultsOf(scenario).map(([id]) => id)).toContain(check);
  });

  test('passes according to the suite', () => {
    expect(run.exitCode, run.output).toBe(0);
  });
});
