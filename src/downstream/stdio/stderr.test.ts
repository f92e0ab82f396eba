import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printableLine } from '../../text/printable.js';
import { readStderr } from './stderr.js';

async function read(text: string, cuts: readonly number[] = [], mask = (line: string) => line) {
  const stream = new PassThrough();
  const lines: string[] = [];
  const stderr = readStderr(stream, mask, (line) => lines.push(line));
  const bytes = Buffer.from(text);
  let start = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > start) stream.write(bytes.subarray(start, cut));
    start = cut;
  }
  stream.end();
  await stderr.ended;
  return { lines, lastLines: stderr.lastLines() };
}

describe('the stderr output of a server', () => {
  test('is read line by line, however it is cut', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
        const { lines: seen } = await read(lines.map((text) => `${text}\n`).join(''), cuts);
        expect(seen).toEqual(lines.map(printableLine).filter((text) => text !== ''));
      }),
    );
  });

  test('is kept by its last lines, the incomplete one included', async () => {
    const text = Array.from({ length: 10_000 }, (_, i) => `line ${i}\r\n`).join('');
    const { lastLines } = await read(`${text}half a line`);
    expect(lastLines).toHaveLength(64);
    expect(lastLines.slice(-2)).toEqual(['line 9999', 'half a line']);
  });

  test('is kept with its indentation, and of a line that is written again and again only the last version', async () => {
    const { lines, lastLines } = await read('\u001B[31mError\u001B[0m\n    at main.js:1\n 10 %\r 50 %\r100 %\r\n');
    expect(lastLines).toEqual(['Error', '    at main.js:1', '100 %']);
    expect(lines).toEqual(['Error', 'at main.js:1', '10 % | 50 % | 100 %']);
  });

  test('is kept in bounded memory, however long its lines are', async () => {
    const { lastLines } = await read(`${'x'.repeat(50_000)}\n`.repeat(100));
    expect(lastLines.length).toBeLessThan(12);
    expect(lastLines.every((line) => line.length === 500)).toBe(true);
  });

  test('uses bounded memory for a line that does not end', async () => {
    const { lines } = await read(`${'x'.repeat(10_000_000)}\nnext\n`);
    expect(lines).toHaveLength(2);
    expect(lines[0]?.length).toBeLessThanOrEqual(2_000);
    expect(lines[1]).toBe('next');
  });

  test('has no terminal sequences and no hidden characters, and cannot hide a secret behind them', async () => {
    const mask = (line: string) => line.replaceAll('canary', '***');
    const { lines } = await read('\u001B[31mred\u001B[0m\rover\u202E ca\u200Bna\u001B[0mry\n', [], mask);
    expect(lines).toEqual(['red | over ***']);
  });

  test('never shows a secret, nor a part of one, wherever it is cut', async () => {
    const secret = 'canary-secret-value';
    const mask = (line: string) => line.replaceAll(secret, '***');
    for (let before = 1_970; before <= 2_010; before++) {
      const { lines, lastLines } = await read(`${'x'.repeat(before)}${secret}${'y'.repeat(5_000)}`, [before + 5], mask);
      expect([...lines, ...lastLines].join('\n')).not.toContain('canary');
    }
  });
});
