import { spaced } from '../../clients/documents/json-layout.js';
import { isRecord } from '../../jsonrpc/json.js';
import type { NewServer, NewToolbox } from './configuration-edit.js';

const longestLine = 90;

/** A member of an object as lines, with a tab for each level. What fits on a line stays on one. */
export function memberLines(name: string, value: unknown, level = 0): string[] {
  const tabs = '\t'.repeat(level);
  const key = `${tabs}${JSON.stringify(name)}: `;
  const one = spaced(value);
  const isShort = (level > 0 && key.length + one.length <= longestLine) || one === '{}' || one === '[]';
  if (isShort || typeof value !== 'object' || value === null) return [key + one];
  if (Array.isArray(value))
    return [`${key}[`, ...separated(value.map((item) => [`${tabs}\t${spaced(item)}`])), `${tabs}]`];
  const members = Object.entries(value).map(([inner, held]) => memberLines(inner, held, level + 1));
  return [`${key}{`, ...separated(members), `${tabs}}`];
}

/** A toolbox with all its servers, and their comments. */
export function toolboxLines({ toolbox, description }: NewToolbox, servers: readonly NewServer[]): string[] {
  const members = servers.map(({ server, entry, comments = [] }) => ({
    comments: comments
      .flatMap((comment) => comment.split(/\r\n|[\n\r\u2028\u2029]/))
      .map((line) => `\t\t// ${line}`.trimEnd()),
    lines: memberLines(server, entry).map((line) => `\t\t${line}`),
  }));
  const block = members.flatMap(({ comments, lines }, index) => [
    ...comments,
    ...(index === members.length - 1 ? lines : withComma(lines)),
  ]);
  const inner = members.length === 0 ? ['\t"mcpServers": {}'] : ['\t"mcpServers": {', ...block, '\t}'];
  const purpose = description === undefined ? [] : [`\t"description": ${JSON.stringify(description)},`];
  return [`${JSON.stringify(toolbox)}: {`, ...purpose, ...inner, '}'];
}

function separated(items: readonly (readonly string[])[]): string[] {
  return items.flatMap((lines, index) => (index === items.length - 1 ? lines : withComma(lines)));
}

function withComma(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === lines.length - 1 ? `${line},` : line));
}

/** As JSON gives it back: without keys that have no value. */
export function plainJson(value: object): Record<string, unknown> {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return isRecord(plain) ? plain : {};
}
