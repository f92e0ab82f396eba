import { beforeEach, TestRunner } from 'vitest';

// The tests run on Linux, macOS and Windows. What cannot says why, by one of these: in a test for that test, at the top of a
// file or a `describe` for all tests in it.

export function linuxOnly(reason: string): void {
  skipUnless(process.platform === 'linux', `on Linux only: ${reason}`);
}

export function posixOnly(reason: string): void {
  skipUnless(process.platform !== 'win32', `not on Windows: ${reason}`);
}

/** For files of other users and groups. CI runs as root. */
export function rootOnly(reason: string): void {
  skipUnless(process.getuid?.() === 0, `as root only: ${reason}`);
}

function skipUnless(condition: boolean, note: string): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) beforeEach(({ skip }) => skip(!condition, note));
  else test.context.skip(!condition, note);
}
