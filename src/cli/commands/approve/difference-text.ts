import { inKeyOrder, isDigestOnly } from '../../../config/lock-file/locked-tool.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { showHidden } from '../../../text/hidden.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { plural } from '../../frame/screen/amounts.js';
import { type Copy, isPublishedAgain, type ServerDifferences, type ToolDifference } from './differences.js';

/** Compares two texts line by line. */
export type Compare = (before: string, after: string) => readonly string[];

/** One thing that differs: `~` it changed, `+` it is new, `-` it is no longer listed. */
export interface ShownDifference {
  readonly sign: '~' | '+' | '-';
  readonly title: string;
  readonly note?: string;
  /** Each begins with its sign: `-`, `+`, a space, or `…` between two places. */
  readonly lines: readonly string[];
}

/** The differences of a server for a person who decides, as `approve` prints them. */
export function differenceText(found: ServerDifferences, compare: Compare): string {
  const { toolbox, server } = found;
  const lines = shownDifferences(found, compare).flatMap(({ sign, title, note, lines: changed }) => [
    `  ${sign} ${title}${note === undefined ? '' : `   ${note}`}`,
    ...changed.map((line) => `      ${line}`),
  ]);
  return [`${visible(shellQuote(toolbox))} ${visible(shellQuote(server))}   ${summaryOf(found)}`, ...lines].join('\n');
}

/** Every hidden character is visible, and no text of the server can begin a line of its own. */
export function shownDifferences(found: ServerDifferences, compare: Compare): readonly ShownDifference[] {
  const { tools, instructions, package: from } = found;
  const shown: ShownDifference[] = [];
  if (from !== undefined) shown.push({ sign: '~', title: `package ${visible(versionsOf(from))}`, lines: [] });
  if (instructions !== undefined) {
    const { before = '', after = '' } = instructions;
    shown.push({ sign: '~', title: 'instructions', lines: body(before, after, compare) });
  }
  return [...shown, ...tools.map((tool) => shownTool(tool, compare))];
}

/** `@scope/name 1.1.0, was 1.0.0` */
function versionsOf(found: NonNullable<ServerDifferences['package']>): string {
  const { before, after } = found;
  if (before === undefined) return `${after.name} ${after.version}`;
  if (isPublishedAgain(found)) return `${after.name} ${after.version}, published again with another content`;
  const was = before.name === after.name ? before.version : `${before.name} ${before.version}`;
  return `${after.name} ${after.version}, was ${was}`;
}

/** `2 changed, 1 new, 1 no longer listed, instructions changed` */
export function summaryOf({ isLocked, tools, instructions, package: from }: ServerDifferences): string {
  const count = (is: ToolDifference['is']) => tools.filter((one) => one.is === is).length;
  if (!isLocked) return `not in the lock, ${plural(tools.length, 'tool')}`;
  const parts = [
    count('changed') > 0 && `${count('changed')} changed`,
    count('new') > 0 && `${count('new')} new`,
    count('removed') > 0 && `${count('removed')} no longer listed`,
    instructions !== undefined && 'instructions changed',
    from !== undefined && (isPublishedAgain(from) ? 'another content' : 'another version'),
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function shownTool({ name, is, before, after }: ToolDifference, compare: Compare): ShownDifference {
  const title = visible(name);
  if (is === 'removed') return { sign: '-', title, note: 'no longer listed', lines: [] };
  const text = after === undefined ? '' : textOf(after);
  if (before === undefined) return { sign: '+', title, note: 'new', lines: body('', text, compare) };
  if (isDigestOnly(before)) {
    const note = 'only a digest of what was approved is kept';
    return { sign: '~', title, note, lines: body('', text, compare) };
  }
  return { sign: '~', title, lines: body(textOf(before), text, compare) };
}

function body(before: string, after: string, compare: Compare): string[] {
  const lines = before === '' ? after.split('\n').map((line) => `+${line}`) : compare(before, after);
  return lines.filter((line) => !line.startsWith('\\')).map(visible);
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
