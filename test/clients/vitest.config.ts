import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.js';

export default defineConfig({
  ...shared,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...shared.test,
    include: ['test/clients/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/clients/install.ts', 'test/support/global-setup.ts'],
    testTimeout: 300_000,
  },
});
