import type { Tool } from '../../../contract/types.js';
import type { KnownServer } from '../../../inspect/known-servers.js';
import { toolTokens } from '../../../results/tool-tokens.js';
import { firstSentence } from '../../../text/first-sentence.js';
import { ownCommand } from '../../../text/own-command.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { signatureOf } from '../../../workbench/listing/signature.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { listedText, plural, tokenCount } from '../../frame/screen/amounts.js';
import { ruleCounts, ruleLines } from '../../frame/screen/rule-words.js';
import { wrapped } from '../../frame/screen/wrapped.js';

const longestSignature = 4_000;

/** The known tools of several servers, a line each. */
export function printOverview(servers: readonly KnownServer[], call: Call): void {
  const { output } = call;
  const rows = servers.flatMap((server) => {
    const heading = `${shellQuote(server.toolbox)} ${shellQuote(server.server)}   ${amountOf(server, output.signs.dash)}`;
    const own = (server.tools ?? []).map((tool) => ({
      cells: [`${tool.name}${marked(tool, server)}`, firstSentence(tool.description)],
      indent: 2,
    }));
    return [{ cells: [heading], isHeading: true }, ...own];
  });
  output.printRows(rows, {
    flexible: [
      [1, 20],
      [0, 16],
    ],
  });
  const first = servers.find(({ tools }) => tools !== undefined && tools.length > 0);
  const unlisted = servers.find(({ tools, isDisabled }) => tools === undefined && !isDisabled);
  const next = [first, unlisted].flatMap((server) =>
    server === undefined ? [] : [ownCommand('tools', [server.toolbox, server.server], sameConfig(call))],
  );
  if (next.length > 0 && output.width !== undefined) output.print('');
  output.next(next);
}

function amountOf(server: KnownServer, dash: string): string {
  const { tools, isDisabled } = server;
  if (isDisabled) return `${dash} disabled`;
  if (tools === undefined) return 'not measured yet';
  const ruled = ruleCounts(server);
  return `${plural(tools.length, 'tool')}, about ${tokenCount(tokensOf(tools))} tokens${ruled && `, ${ruled}`}`;
}

/** Behind the name of a tool. */
function marked({ name }: Tool, { asks }: KnownServer): string {
  return asks.includes(name) ? ' (asks)' : '';
}

/** How to call each tool of one server. */
export function printServer(known: KnownServer, call: Call): void {
  const { toolbox, server, tools = [], at, changes } = known;
  const { output } = call;
  for (const tool of tools) {
    output.print(wrapped(`${signatureOf(tool, longestSignature)}${marked(tool, known)}`, output.width, 0, 8));
    const difference = differenceOf(tool, changes);
    if (difference !== undefined) output.print(`    ${output.mark('warning')} ${difference}`);
    const sentence = firstSentence(tool.description);
    if (sentence !== '') output.print(wrapped(sentence, output.width, 4));
  }
  const age = at === undefined ? '' : `, ${listedText(at, Date.now())}`;
  output.print(`${plural(tools.length, 'tool')}, about ${tokenCount(tokensOf(tools))} tokens${age}.`);
  for (const line of ruleLines(known)) output.print(wrapped(line, output.width, 0, 4));
  const [first] = tools;
  const commands = [
    ...(changes === undefined ? [] : [ownCommand('approve', [toolbox, server], sameConfig(call))]),
    ...(first === undefined ? [] : [ownCommand('tools', [toolbox, server, first.name], sameConfig(call))]),
  ];
  output.next(commands);
}

function differenceOf({ name }: Tool, changes: KnownServer['changes']): string | undefined {
  if (changes?.changed.includes(name)) return 'changed since it was approved';
  return changes?.added.includes(name) ? 'new since the tools were approved' : undefined;
}

/** One tool in full. */
export function printTool(tool: Tool, { asks }: KnownServer, { output }: Call): void {
  output.print(wrapped(signatureOf(tool, longestSignature), output.width, 0, 8));
  if (asks.includes(tool.name)) output.print('A person is asked before each call.');
  if (tool.description !== undefined && tool.description.trim() !== '') output.print(`\n${tool.description.trim()}`);
  output.print(`\nInput schema\n${JSON.stringify(tool.inputSchema, undefined, 2)}`);
  if (tool.outputSchema !== undefined)
    output.print(`\nOutput schema\n${JSON.stringify(tool.outputSchema, undefined, 2)}`);
  if (tool.annotations !== undefined) output.print(`\nAnnotations\n${JSON.stringify(tool.annotations, undefined, 2)}`);
  output.print(`\nAbout ${tokenCount(toolTokens(tool))} tokens.`);
}

/** For JSON. */
export function serverFacts(known: KnownServer): object {
  const { toolbox, server, tools, denied, at, changes } = known;
  return {
    toolbox,
    server,
    tools: tools?.map((tool) => toolFacts(tool, known)) ?? null,
    ...(denied.length > 0 && { denied }),
    ...(at !== undefined && { knownSince: new Date(at).toISOString() }),
    ...(changes && { changed: changes.changed, new: changes.added }),
  };
}

export function toolFacts(tool: Tool, { asks }: Pick<KnownServer, 'asks'>): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const tokens = toolTokens(tool);
  const isAsked = asks.includes(name) && { asks: true };
  const schemas = { inputSchema, outputSchema, annotations };
  return { name, title, signature: signatureOf(tool), description, ...schemas, tokens, ...isAsked };
}

function tokensOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
}
