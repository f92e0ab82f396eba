import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.js';
import { SlowFilesFirst } from './test/support/slow-files-first.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

// They need packages, another user or a machine for themselves.
const withCommandsOfTheirOwn = ['clients', 'conformance', 'machines', 'package-runners', 'real-packages', 'system'].map(
  (name) => `test/${name}/**`,
);

/** What starts no process, and needs no build. */
const units = ['src/**/!(*.process).test.ts', 'test/architecture.test.ts'];

const setupFiles = ['test/support/property-tests.ts'];

/** Of every project, also of those with a command of their own. */
export const shared = defineConfig({
  define: { __VERSION__: JSON.stringify(version), __BUILD__: JSON.stringify('tests') },
  test: {
    tags: [
      { name: 'hostile', description: 'A server, a repository, an agent or another user attacks.' },
      { name: 'slow', description: 'Files that take more than about ten seconds.' },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles,
    // Tests start real processes, and wait for them more than half of the time: with four workers more than cores, the cores are busy.
    pool: 'forks',
    maxWorkers: availableParallelism() + 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', countReporter],
  },
});

export default defineConfig({
  test: {
    ...shared.test,
    globalSetup: [],
    sequence: { sequencer: SlowFilesFirst },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
    projects: [
      {
        // A copy for each: vitest takes the entries out.
        define: { ...shared.define },
        test: {
          ...shared.test,
          name: 'program',
          include: ['src/**/*.process.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...units, ...withCommandsOfTheirOwn],
        },
      },
      {
        define: { ...shared.define },
        test: {
          ...shared.test,
          name: 'unit',
          include: units,
          globalSetup: [],
          // They share nothing but modules, and start in a third of the time.
          isolate: false,
          setupFiles: [...setupFiles, 'test/support/no-processes.ts'],
        },
      },
    ],
  },
});
