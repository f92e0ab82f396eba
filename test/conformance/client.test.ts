import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asClient } from './expected-failures.js';
import { clientScenarios, type Revision, runClientScenario } from './suite.js';

const driver = fileURLToPath(new URL('client-driver.mjs', import.meta.url));
// The suite gives it to a shell.
const command = `"${process.execPath}" "${driver}"`;
const revisions: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const scenarios = await Promise.all(
  revisions.map(async (revision) => [revision, await clientScenarios(revision)] as const),
);

describe.each(scenarios)('the workbench as a client of a %s server', (revision, names) => {
  test('has scenarios', () => {
    expect(names).toContain('tools_call');
  });

  test.each(names)('passes %s', { timeout: 90_000 }, async (scenario) => {
    const expected = asClient.filter((failure) => failure.revision === revision && failure.scenario === scenario);
    const { checks, exitCode, output } = await runClientScenario(command, scenario, revision);
    const found = checks.get(scenario) ?? [];
    const failed = found.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id }) => id);
    expect(failed, output).toEqual(expected.map(({ check }) => check));
    expect(found.map(({ status }) => status)).toContain('SUCCESS');
    expect(exitCode, output).toBe(expected.length === 0 ? 0 : 1);
  });
});

test.each([
  ['auth/2025-03-26-oauth-metadata-backcompat', '2025-03-26'],
  ['auth/client-credentials-basic', undefined],
] as const)('the workbench passes %s, too', { timeout: 90_000 }, async (scenario, revision) => {
  const { checks, exitCode, output } = await runClientScenario(command, scenario, revision);
  const statuses = checks.get(scenario)?.map(({ status }) => status);
  expect(statuses).toContain('SUCCESS');
  expect(statuses).not.toContain('FAILURE');
  expect(exitCode, output).toBe(0);
});

test.each(asClient)('$scenario is not expected to pass $check, because $reason', ({ revision, scenario }) => {
  expect(new Map(scenarios).get(revision)).toContain(scenario);
});
