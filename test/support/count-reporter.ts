import type { Reporter } from 'vitest/node';

/** After vitest's own summary, one plain line that a machine can read. What broke outside of a test counts as failed as well. */
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
