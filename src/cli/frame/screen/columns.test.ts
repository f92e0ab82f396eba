import { expect, test } from 'vitest';
import { displayWidth } from '../../../text/display-width.js';
import { alignedRows } from './columns.js';

const rows = [
  { cells: ['dev: everything for work'], isHeading: true },
  { cells: ['github', '● awake 12 min', '26 tools', '4.2 k'], indent: 2 },
  { cells: ['日本語', '○ asleep', '2 tools', '0.9 k'], indent: 2, note: 'known since 3 Nov' },
  { cells: ['x', '✗ exit code 1', '–'], indent: 2, note: 'mcp-workbench doctor dev x' },
];
const layout = {
  right: [2, 3],
  flexible: [
    [1, 8],
    [0, 6],
  ],
} as const;

test('columns are aligned by display width', () => {
  expect(alignedRows(rows, layout)).toEqual([
    'dev: everything for work',
    '  github  ● awake 12 min  26 tools  4.2 k',
    '  日本語  ○ asleep         2 tools  0.9 k  known since 3 Nov',
    '  x       ✗ exit code 1          –  mcp-workbench doctor dev x',
  ]);
});

test('what does not fit beside the columns has a line of its own, and a column is cut before that', () => {
  expect(alignedRows(rows, { ...layout, width: 38 })).toEqual([
    'dev: everything for work',
    '  github  ● awake 12…  26 tools  4.2 k',
    '  日本語  ○ asleep      2 tools  0.9 k',
    '      known since 3 Nov',
    '  x       ✗ exit cod…         –',
    '      mcp-workbench doctor dev x',
  ]);
});

test('a terminal of 20 columns gets a line for each cell, and commands are never cut', () => {
  const lines = alignedRows(rows, { ...layout, width: 20 });
  expect(lines).toEqual([
    'dev: everything for…',
    '  github',
    '    ● awake 12 min',
    '    26 tools',
    '    4.2 k',
    '  日本語',
    '    ○ asleep',
    '    2 tools',
    '    0.9 k',
    '    known since 3 Nov',
    '  x',
    '    ✗ exit code 1',
    '    –',
    '    mcp-workbench doctor dev x',
  ]);
});

test.each([1, 5, 20, 40, 79, 80, 120])('no cell exceeds %i columns', (width) => {
  const cells = ['🧰'.repeat(30), 'x'.repeat(200), '1'];
  for (const line of alignedRows([{ cells }], {
    width,
    flexible: [
      [1, 8],
      [0, 8],
    ],
  }))
    expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(3, width));
});

test('texts between the rows stay as they are, and do not widen the columns', () => {
  const text = '  a text that is longer than all columns together';
  const lines = alignedRows([{ cells: ['a', 'b'] }, text, { cells: ['long', 'c'] }], { width: 20 });
  expect(lines).toEqual(['a     b', text, 'long  c']);
});

test('a header names the columns, and where each cell has a line of its own, the cells', () => {
  const named = { header: ['', 'start', 'tools'], right: [2] };
  const one = [
    { cells: ['dev'], isHeading: true },
    { cells: ['github', '✓ 1.6 s', '26'], indent: 2 },
  ];
  expect(alignedRows(one, named)).toEqual(['          start    tools', 'dev', '  github  ✓ 1.6 s     26']);
  expect(alignedRows(one, { ...named, width: 15 })).toEqual(['dev', '  github', '    start ✓ 1.…', '    tools 26']);
  expect(alignedRows([{ cells: ['dev'], isHeading: true }, '  github  ✗ failed'], named)).toEqual([
    'dev',
    '  github  ✗ failed',
  ]);
});

test('of a path the start is cut', () => {
  const one = [{ cells: ['session', '~/code/shop/workbench-config.json'] }];
  expect(alignedRows(one, { width: 30, flexible: [[1, 10]] })).toEqual(['session  …orkbench-config.json']);
});
