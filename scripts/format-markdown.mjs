// Formats every Markdown file of the repository. With --check it writes nothing and fails if one has another form.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatMarkdown } from './markdown.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const files = ['.', ...['docs', 'bench'].flatMap(foldersIn)].flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name)),
);

function foldersIn(folder) {
  const inner = readdirSync(path.join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap(({ name }) => foldersIn(path.join(folder, name)))];
}

const stale = files.filter((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  const formatted = formatMarkdown(text);
  if (formatted !== text && !process.argv.includes('--check')) writeFileSync(path.join(root, file), formatted);
  return formatted !== text;
});
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(`Not formatted: ${stale.join(', ')}. Run: npm run format`);
  process.exitCode = 1;
}
