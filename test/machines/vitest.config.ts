import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.js';

// Cases that take all of a machine: many servers, many processes beside them. `npm run check:machines` runs them.
export default defineConfig({
  ...shared,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...shared.test,
    include: ['test/machines/**/*.test.ts'],
    exclude: configDefaults.exclude,
    passWithNoTests: true,
    maxWorkers: 1,
    testTimeout: 300_000,
  },
});
