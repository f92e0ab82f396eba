import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import project from '../../vitest.config.js';

// What starts no process, and needs no build.
export default defineConfig({
  ...project,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...project.test,
    include: ['src/**/*.test.ts', 'test/architecture.test.ts'],
    exclude: [...configDefaults.exclude, 'src/**/*.process.test.ts'],
    globalSetup: [],
    // They share nothing but modules, and start in a third of the time.
    isolate: false,
    setupFiles: ['test/support/property-tests.ts', 'test/unit/no-processes.ts'],
  },
});
