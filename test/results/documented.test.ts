import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientResults } from '../../src/limits.js';
import { selectFrom } from '../../src/results/select-from.js';

// Keeps the tables of docs/results.md equal to what the program does.
const page = readFileSync(new URL('../../docs/results.md', import.meta.url), 'utf8');

function rowsOf(table: string): string[][] {
  const [, body = ''] = new RegExp(`<!-- table: ${table} -->\\n\\n([^]*?)\\n\\n<!-- end -->`).exec(page) ?? [];
  const rows = body.split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map(plain),
  );
}

/** The content of a cell. */
function plain(cell: string): string {
  return cell.replace(/^(`+)([^]*)\1$/, '$2').replaceAll('\\|', '|');
}

const [, json = ''] = /With this value:\n\n```json\n([^]*?)\n```/.exec(page) ?? [];
const result = { content: [{ type: 'text', text: json }] };

test.each(rowsOf('jmespath'))('docs/results.md: %s gives %s', (expression, gives) => {
  expect(JSON.stringify(selectFrom(result, expression ?? ''))).toBe(gives);
});

test('docs/results.md has twelve lines of JMESPath', () => {
  expect(rowsOf('jmespath')).toHaveLength(12);
});

test('docs/results.md names every client whose limit is known, with what it counts', () => {
  const counted = {
    text: 'text',
    structured: 'structured content, else text',
    both: 'text and structured content',
    json: 'the result as JSON',
  };
  const known = Object.entries(clientResults).map(([name, { chars, counts, inBytes }]) => [
    name,
    `${chars.toLocaleString('en')}${inBytes ? ' bytes' : ''}`,
    counted[counts],
  ]);
  expect(rowsOf('clients').map((row) => row.slice(0, 3))).toEqual(known);
});
