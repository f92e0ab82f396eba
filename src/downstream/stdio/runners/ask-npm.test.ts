import { expect, test } from 'vitest';
import { wordsOfNpm } from './ask-npm.js';

test.each([
  ['npm error', 'npm error code E404'],
  ['npm ERR!', 'npm ERR! code E404'],
])('what %s says is kept without codes, stacks and log files', (prefix, code) => {
  const lines = [
    'npm warn exec The following package was not found and will be installed: x@1',
    code,
    `${prefix} 404 Not Found - GET http://127.0.0.1/x - Not found`,
    `${prefix} 404`,
    prefix,
    `${prefix}     at async Promise.all (index 0)`,
    `${prefix} A complete log of this run can be found in: /home/ada/.npm/_logs/x.log`,
    `${prefix}     /home/ada/.npm/_logs/x.log`,
  ];
  expect(wordsOfNpm(lines)).toBe('404 Not Found - GET http://127.0.0.1/x - Not found');
});

test('of what is not from npm the last lines are kept, shortened', () => {
  expect(wordsOfNpm(['one', 'two', '  three', '', 'npm notice x'])).toBe('two three');
  expect(wordsOfNpm(['x'.repeat(5_000)]).length).toBeLessThan(500);
});
