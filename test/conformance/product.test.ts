import { describe, expect, test } from 'vitest';
import { localUser } from '../../src/session/principal.js';
import { devToolbox } from '../support/configs.js';
import { type ServiceInProcess, serveInProcess } from '../support/http-in-process.js';
import { fixture } from '../support/servers.js';
import { type Revision, runServerScenario, runSuite, scoredScenarios } from './suite.js';

test('x', { timeout: 300_000 }, async () => {
  const service = await serveInProcess({
    config: devToolbox({ fs: fixture() }),
    identifier: { identify: () => ({ principal: localUser }), isReady: () => true, metadata: undefined, close() {} },
  });
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    const run = await runSuite(service.url, revision, []);
    for (const [name, checks] of run.checks)
      console.log(
        revision,
        name,
        JSON.stringify(
          checks
            .filter((c) => c.status !== 'SUCCESS' && c.status !== 'INFO')
            .map((c) => [c.id, c.status, c.errorMessage]),
        ),
      );
  }
  for (const [scenario, revision] of [
    ['server-session-lifecycle', '2025-11-25'],
    ['http-header-validation', '2026-07-28'],
    ['http-custom-header-server-validation', '2026-07-28'],
    ['json-schema-2020-12', '2026-07-28'],
    ['server-sse-polling', '2025-11-25'],
  ] as const) {
    const run = await runServerScenario(service.url, scenario, revision);
    for (const [name, checks] of run.checks)
      console.log(revision, name, JSON.stringify(checks.map((c) => [c.id, c.status, c.errorMessage])));
    if (run.checks.size === 0) console.log(scenario, run.output);
  }
});
