import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.js';

// Servers as they are published: npm installs them from its registry.
export default defineConfig({
  ...shared,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...shared.test,
    include: ['test/real-packages/*.test.ts'],
    exclude: configDefaults.exclude,
    maxWorkers: 1,
    testTimeout: 300_000,
  },
});
