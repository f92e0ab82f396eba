import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { type Adapter, startAdapter } from './adapter.js';
import { forTwoTools } from './expected-failures.js';
import { type Revision, runSuite, type SuiteRun, scoredScenarios } from './suite.js';

/** Of what is not scored, what concerns the transport. */
const alsoPassed: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['server-session-lifecycle', 'server-sse-polling'],
  '2026-07-28': ['http-header-validation', 'http-custom-header-server-validation'],
};

const revisions: readonly Revision[] = ['2025-11-25', '2026-07-28'];

describe.concurrent.each(revisions)('the service as it is, for clients of %s', (revision) => {
  const marker = randomUUID();
  const log: string[] = [];
  let adapter: Adapter | undefined;
  let run: SuiteRun;

  beforeAll(async () => {
    const protocol = revision === '2026-07-28' ? revision : 'legacy';
    adapter = await startAdapter({ protocol, isFlat: false, marker, log: createLog((line) => log.push(line)) });
    run = await runSuite(adapter.url, revision, []);
  }, 300_000);

  afterAll(async () => {
    await adapter?.close();
    await expectNoProcessLeft(marker);
  });

  const applicable = [...scoredScenarios(revision), ...alsoPassed[revision]].filter(
    (scenario) => !forTwoTools.has(scenario),
  );

  test.each(applicable)('passes %s', (scenario) => {
    const checks = run.checks.get(scenario) ?? [];
    const faults = checks.filter(
      ({ id, status }) => (status === 'FAILURE' || status === 'WARNING') && !forTwoTools.has(`${scenario}:${id}`),
    );
    expect(faults, log.join('')).toEqual([]);
    expect(checks.map(({ status }) => status)).toContain(scenario === 'server-sse-polling' ? 'INFO' : 'SUCCESS');
  });
});
