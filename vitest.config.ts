import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

// They need packages, another user or a machine for themselves.
const withCommandsOfTheirOwn = ['clients', 'conformance', 'machines', 'package-runners', 'real-packages', 'system'].map(
  (name) => `test/${name}/**`,
);

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version), __BUILD__: JSON.stringify('tests') },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...withCommandsOfTheirOwn],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-tests.ts'],
    // Tests start real processes, each with some of its own, and wait for them half of the time: with one worker more than cores the
    // cores are busy, and with more than three workers tests wait for each other.
    pool: 'forks',
    maxWorkers: Math.min(3, availableParallelism() + 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', countReporter],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
  },
});
