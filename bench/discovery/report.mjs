import { readFile, writeFile } from 'node:fs/promises';
import { formatMarkdown } from '../../scripts/markdown.mjs';

/** Replaces the text between the markers of this name. */
export async function writeInto(file, name, text) {
  const start = `<!-- ${name}: written by npm run bench:discovery -->`;
  const end = `<!-- end of ${name} -->`;
  const before = await readFile(file, 'utf8');
  const [from, to] = [before.indexOf(start), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no markers for '${name}'`);
  await writeFile(file, `${before.slice(0, from + start.length)}\n${formatMarkdown(text)}\n${before.slice(to)}`);
}
