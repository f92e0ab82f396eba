import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import project from '../../vitest.config.js';

export default defineConfig({
  ...project,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...project.test,
    include: ['test/conformance/*.test.ts'],
    exclude: configDefaults.exclude,
    // No build: the adapter imports the sources.
    globalSetup: ['test/conformance/install.ts'],
  },
});
