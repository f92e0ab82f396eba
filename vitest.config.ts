import { readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version) },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Commands of their own: the one installs what it needs, the other takes a machine to itself.
    exclude: [...configDefaults.exclude, 'test/conformance/**', 'test/machines/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Tests start real processes, each with some of its own: more workers than this make them wait for each other.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', countReporter],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
  },
});
