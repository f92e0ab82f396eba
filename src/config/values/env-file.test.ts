import { expect, test } from 'vitest';
import { parseEnvFile } from './env-file.js';

const read = (text: string) => [...parseEnvFile(text).variables];

test.each([
  ['A=1', [['A', '1']]],
  [
    'A=1\nB=2\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  [
    'A=1\r\nB=2\r\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['\uFEFFA=1', [['A', '1']]],
  ['# comment\n\n  \nA=1', [['A', '1']]],
  ['export A=1', [['A', '1']]],
  ['  A = one two  ', [['A', 'one two']]],
  ['A=', [['A', '']]],
  [
    'A=\nB=2',
    [
      ['A', ''],
      ['B', '2'],
    ],
  ],
  ['A=a=b', [['A', 'a=b']]],
  ['A=x # comment', [['A', 'x']]],
  ['A=# comment', [['A', '']]],
  ['A=x#y', [['A', 'x#y']]],
  [`A="x # y" # comment`, [['A', 'x # y']]],
  [`A='it\\n'`, [['A', 'it\\n']]],
  ['A="one\\ntwo\\t\\"q\\" \\\\n C:\\dir"', [['A', 'one\ntwo\t"q" \\n C:\\dir']]],
  [
    'A="one\ntwo"\nB=2',
    [
      ['A', 'one\ntwo'],
      ['B', '2'],
    ],
  ],
  [
    "A='one\ntwo'\nB=2",
    [
      ['A', 'one\ntwo'],
      ['B', '2'],
    ],
  ],
  ['A=`it\'s "q"`', [['A', 'it\'s "q"']]],
  [`A=it's`, [['A', "it's"]]],
  ['A=${B}', [['A', '${B}']]],
  ['A=1\nA=2', [['A', '2']]],
  [
    '__proto__=1\nexport=2',
    [
      ['__proto__', '1'],
      ['export', '2'],
    ],
  ],
])('%j is read', (text, expected) => {
  expect(read(text)).toEqual(expected);
  expect(parseEnvFile(text).invalidLines).toEqual([]);
});

test('lines that are not assignments are ignored and reported by number, also after a value of several lines', () => {
  const file = parseEnvFile('A="1\n2"\njust words\n=x\nB="open\nC=3\n');
  expect([...file.variables]).toEqual([
    ['A', '1\n2'],
    ['C', '3'],
  ]);
  expect(file.invalidLines).toEqual([3, 4, 5]);
});
