import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.js';

// What needs root or packages of Debian: other users, other shells, file systems and networks of one's own.
export default defineConfig({
  ...shared,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...shared.test,
    include: ['test/system/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/system/packages.ts', 'test/support/global-setup.ts'],
  },
});
