import type { Reporter } from 'vitest/node';

/** Prints one machine-readable line after vitest's own summary. Errors outside of tests count as failed. */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const brokenModules = modules.filter((module) => module.errors().length > 0 || brokenSuites(module) > 0);
    const passed = states.filter((state) => state === 'passed').length;
    const failed = states.filter((state) => state === 'failed').length + brokenModules.length + unhandledErrors.length;
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  },
};

function brokenSuites(module: Parameters<NonNullable<Reporter['onTestModuleEnd']>>[0]): number {
  return [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length;
}
