import { shorten } from '../../text/shorten.js';
import type { ListedTool, Room } from './listed-tool.js';

const longestExample = 60;
const longestList = 300;

interface Reduction extends Room {
  readonly detail?: string;
}

const shownAs = {
  inputs: 'without output schemas',
  signatures: 'with signatures instead of schemas (… marks what is left out)',
  parameters: 'with parameter names only',
  names: 'by name only',
};

const oneShownAs = {
  ...shownAs,
  inputs: 'without its output schema',
  signatures: 'with a signature instead of its schema (… marks what is left out)',
};

/** What was reduced, unless the agent asked for it, and how to get more. */
export function reducedNotes(
  entries: readonly ListedTool[],
  { detail, budgetChars }: Reduction,
  shown: keyof typeof shownAs,
): string[] {
  const limit = `this answer is limited to ${budgetChars} characters (openBudgetChars in the configuration)`;
  if (entries.length === 1) return shown === detail ? [] : [`The tool is shown ${oneShownAs[shown]}: ${limit}.`];
  const reduced = `${entries.length} tools are shown ${shownAs[shown]}: ${limit}.`;
  const more = `${schemasNote(entries)} ${queryNote(entries)}`;
  return shown === detail ? [more] : [reduced, more];
}

/** Replaces a listing in which not even the names fit. */
export function countNote(entries: readonly ListedTool[], { budgetChars }: Room): string {
  return `There are ${entries.length} tools, too many to list in ${budgetChars} characters. ${queryNote(entries)}`;
}

/** The servers of which no tool is listed. */
export function tooManyNote(servers: readonly (readonly ListedTool[])[]): string {
  const counts = servers.map(([first, ...others]) => `${others.length + 1} tools of ${exampleName(first?.server)}`);
  return `Not listed: ${shorten(counts.join(', '), longestList)}. ${queryNote(servers[0] ?? [])}`;
}

export function schemasNote([first]: readonly ListedTool[]): string {
  return `Full schemas: ${exampleCall(first, { tools: [exampleName(first?.tool.name)] })}.`;
}

function queryNote([first]: readonly ListedTool[]): string {
  return `Tools for a task: ${exampleCall(first, { query: 'what to do' })}.`;
}

function exampleCall(entry: ListedTool | undefined, more: Readonly<Record<string, unknown>>): string {
  return `open_toolbox(${JSON.stringify({ toolbox: exampleName(entry?.toolbox), ...more })})`;
}

/** A placeholder instead of a very long name. */
function exampleName(name: string | undefined): string {
  return name === undefined || name.length > longestExample ? 'NAME' : name;
}
