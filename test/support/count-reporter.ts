import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

type Errors = readonly { readonly message?: string; readonly diff?: string; readonly stack?: string }[];

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
      ...unhandledErrors.map((error) => failure('outside of the tests', [error])),
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

function failure(where: string, errors: Errors): string {
  const lines = errors.flatMap(({ message = '', diff = '', stack = '' }) => [
    ...beginningOf(message),
    ...beginningOf(diff),
    ...stack.split('\n').filter((line) => line.includes('.test.ts:')),
  ]);
  return [`failed: ${where}`, ...lines.map((line) => `  ${line.slice(0, 300)}`)].join('\n');
}

function beginningOf(text: string): string[] {
  return stripVTControlCharacters(text).split('\n').filter(Boolean).slice(0, 20);
}
