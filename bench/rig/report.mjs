import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatMarkdown, printTable } from '../../scripts/markdown.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A Markdown table of rows that all have the same keys. */
export function table(rows) {
  const head = Object.keys(rows[0]);
  return printTable([head, ...rows.map((row) => head.map((key) => String(row[key])))]);
}

/** A dash for an unknown value. */
export function fixed(value, digits = 0) {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** A row of a table of checks. */
export function check(what, seen, limit, holds) {
  return { figure: what, seen, limit, holds: holds ? 'yes' : '**no**' };
}

export function atMost(what, seen, limit, digits = 2) {
  return check(what, fixed(seen, digits), `≤ ${limit}`, seen <= limit);
}

export function atLeast(what, seen, limit, digits = 2) {
  return check(what, fixed(seen, digits), `≥ ${limit}`, seen >= limit);
}

export function allHold(checks) {
  return checks.every(({ holds }) => holds === 'yes');
}

/** When, where and how the figures were measured. */
export function provenance(command) {
  const [processor] = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const machine = `${os.cpus().length} × ${processor?.model.trim() ?? 'unknown'}, ${memory} GiB, ${os.type()} ${os.arch()}`;
  const load = os.loadavg()[0].toFixed(1);
  return `${new Date().toISOString().slice(0, 10)} · ${machine} · Node.js ${process.version} · load ${load} · \`${command}\``;
}

/** Writes `text` between \`<!-- name -->\` and \`<!-- end -->\` of a document. */
export function writeSection(document, name, text) {
  const path = new URL(`../../docs/internals/${document}`, import.meta.url);
  const before = readFileSync(path, 'utf8');
  const start = before.indexOf(`<!-- ${name} -->`);
  const end = before.indexOf('<!-- end -->', start);
  if (start < 0 || end < 0) throw new Error(`docs/internals/${document} has no section ${name}`);
  writeFileSync(path, `${before.slice(0, start)}<!-- ${name} -->\n\n${formatMarkdown(text)}\n\n${before.slice(end)}`);
  return relative(root, fileURLToPath(path));
}
