import { inKeyOrder } from '../../../config/lock-file/locked-tool.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { showHidden } from '../../../text/hidden.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { plural } from '../../frame/screen/amounts.js';
import type { Copy, ServerDifferences, ToolDifference } from './differences.js';

/** Compares two texts line by line. */
export type Compare = (before: string, after: string) => readonly string[];

/**
 * The differences of a server for a person who decides: every hidden character is visible, and no text of the server can begin a
 * line of its own.
 */
export function differenceText(found: ServerDifferences, compare: Compare): string {
  const { toolbox, server, tools, instructions, package: from } = found;
  const lines = [`${visible(shellQuote(toolbox))} ${visible(shellQuote(server))}   ${summaryOf(found)}`];
  if (from !== undefined) lines.push(`  ~ package ${visible(versionsOf(from))}`);
  if (instructions !== undefined)
    lines.push('  ~ instructions', ...body(instructions.before ?? '', instructions.after ?? '', compare));
  for (const tool of tools) lines.push(...toolLines(tool, compare));
  return lines.join('\n');
}

/** `@scope/name 1.1.0, was 1.0.0` */
function versionsOf({ before, after }: NonNullable<ServerDifferences['package']>): string {
  if (before === undefined) return `${after.name} ${after.version}`;
  const was = before.name === after.name ? before.version : `${before.name} ${before.version}`;
  return `${after.name} ${after.version}, was ${was}`;
}

/** `2 changed, 1 new, 1 no longer listed, instructions changed` */
function summaryOf({ isLocked, tools, instructions, package: from }: ServerDifferences): string {
  const count = (is: ToolDifference['is']) => tools.filter((one) => one.is === is).length;
  if (!isLocked) return `not in the lock, ${plural(tools.length, 'tool')}`;
  const parts = [
    count('changed') > 0 && `${count('changed')} changed`,
    count('new') > 0 && `${count('new')} new`,
    count('removed') > 0 && `${count('removed')} no longer listed`,
    instructions !== undefined && 'instructions changed',
    from !== undefined && 'another version',
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function toolLines({ name, is, before, after }: ToolDifference, compare: Compare): string[] {
  const shown = visible(name);
  if (is === 'removed') return [`  - ${shown}   no longer listed`];
  if (before === undefined || after === undefined)
    return [`  + ${shown}   new`, ...body('', after === undefined ? '' : textOf(after), compare)];
  return [`  ~ ${shown}`, ...body(textOf(before), textOf(after), compare)];
}

function body(before: string, after: string, compare: Compare): string[] {
  const lines = before === '' ? after.split('\n').map((line) => `+${line}`) : compare(before, after);
  return lines.filter((line) => !line.startsWith('\\')).map((line) => `      ${visible(line)}`);
}

/** A tool as lines: prose as it is, schemas as JSON. */
function textOf(tool: Copy): string {
  const { title, description, annotations, inputSchema, outputSchema } = tool;
  const lines = [
    ...field('title', title),
    ...field('description', description),
    ...(isRecord(annotations) ? Object.entries(annotations).flatMap(([hint, value]) => field(hint, value)) : []),
    ...field('inputSchema', inputSchema),
    ...field('outputSchema', outputSchema),
  ];
  return lines.join('\n');
}

function field(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : JSON.stringify(inKeyOrder(value), undefined, 2);
  return `${name}: ${text}`.split('\n');
}

/** Line breaks are those of the diff; what else moves the cursor is shown. */
function visible(line: string): string {
  return showHidden(line).replace(/[\t\r\n]/g, (sign) => JSON.stringify(sign).slice(1, -1));
}
