import { readFile, writeFile } from 'node:fs/promises';

export function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Replaces the text between the markers of this name. */
export async function writeInto(file, name, text) {
  const start = `<!-- ${name}: written by npm run bench:discovery -->`;
  const end = `<!-- end of ${name} -->`;
  const before = await readFile(file, 'utf8');
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no markers for '${name}'`);
  await writeFile(file, `${before.slice(0, from + start.length)}\n${text}\n${before.slice(to)}`);
}
