import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** What vitest adds to errors outside of tests. */
type Outside = SerializedError & { readonly VITEST_TEST_PATH?: string; readonly VITEST_TEST_NAME?: string };

/**
 * Prints what failed and, in a machine-readable line, how many, after vitest's own summary: the last lines are what is
 * left of a long log. Errors outside of tests count as failed.
 */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failures = [
      ...tests.filter((test) => test.result().state === 'failed').map(failureOfTest),
      ...modules.flatMap(failureOfModule),
      ...unhandledErrors.map((error) => failure(placeOf(error, modules), [error])),
    ];
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    process.stdout.write([...failures, `${passed} passed, ${failures.length} failed`, ''].join('\n'));
  },
};

function failureOfTest(test: TestCase): string {
  return failure(`${test.module.relativeModuleId} > ${test.fullName}`, test.result().errors ?? []);
}

/** Of a file that could not be read as tests, or whose hooks failed: one, however many there were. */
function failureOfModule(module: TestModule): string[] {
  const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
  return errors.length === 0 ? [] : [failure(module.relativeModuleId, errors)];
}

/** The test that ran; without one, the files that did not come to their end, as those of a worker that was killed. */
function placeOf({ VITEST_TEST_PATH: path, VITEST_TEST_NAME: name }: Outside, modules: readonly TestModule[]): string {
  const unfinished = modules.filter((module) => ['queued', 'pending'].includes(module.state()));
  const files = path === undefined ? unfinished.map((module) => module.relativeModuleId) : [relative('.', path)];
  return ['outside of the tests', files.join(', '), name].filter(Boolean).join(' > ');
}

function failure(where: string, errors: readonly SerializedError[]): string {
  return [`failed: ${where}`, ...errors.flatMap(linesOf).map((line) => `  ${line.slice(0, 300)}`)].join('\n');
}

function linesOf({ message, diff, stack = '', cause }: SerializedError & { readonly diff?: string }): string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at (?!.*node_modules)/.test(line));
  const own = [...beginningOf(message), ...beginningOf(diff ?? ''), ...frames.slice(0, 6)];
  return cause === undefined || cause === null ? own : [...own, 'caused by:', ...linesOf(cause)];
}

function beginningOf(text: string): string[] {
  return stripVTControlCharacters(text).split('\n').filter(Boolean).slice(0, 20);
}
