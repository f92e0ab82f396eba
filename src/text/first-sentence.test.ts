import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstSentence } from './first-sentence.js';

test.each([
  ['Reads a file. Then closes it.', 'Reads a file.'],
  ['Reads a file', 'Reads a file'],
  ['Reads file.txt of version 1.2 now. Done.', 'Reads file.txt of version 1.2 now.'],
  ['Takes units (e.g. metres, i.e. SI). More.', 'Takes units (e.g. metres, i.e. SI).'],
  ['What is it? A tool.', 'What is it?'],
  ['读取文件。然后关闭。', '读取文件。'],
  ['\n  Reads a\n   file\n\n  Args:\n   path', 'Reads a file'],
  ['Reads a file\n- fast\n- well', 'Reads a file'],
  ['Reads a file\nArgs:\n  path: where', 'Reads a file'],
  ['## Read\n\nReads a file.', 'Read'],
  ['', ''],
  [undefined, ''],
])('the first sentence of %j is %j', (text, expected) => {
  expect(firstSentence(text)).toBe(expected);
});

test('a long sentence is cut between words, and one without spaces anywhere', () => {
  expect(firstSentence('Reads the whole of a very long file', 20)).toBe('Reads the whole of…');
  expect(firstSentence('读'.repeat(50), 10)).toBe(`${'读'.repeat(9)}…`);
});

test('a first sentence never exceeds its limit, is one line and contains no lone surrogate', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '.', '\n', '🚀', '读', '-', '。'), maxLength: 400 }),
      fc.nat({ max: 200 }),
      (text, most) => {
        const sentence = firstSentence(text.toWellFormed(), most);
        expect(sentence.length).toBeLessThanOrEqual(most);
        expect(sentence).not.toMatch(/[\n\r]/);
        expect(sentence.isWellFormed()).toBe(true);
      },
    ),
  );
});
