import type { Edit, Format } from '../../../clients/documents/document.js';
import { applyEdits, openDocument } from '../../../clients/documents/open-document.js';
import type { Client, Launch } from '../../../clients/table/client.js';
import { commonHttpForms, tokenQuestion } from '../../../clients/table/http-forms.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { clientNamed } from './client-target.js';
import { httpHints } from './http-hints.js';
import { type HttpTarget, printedWays, requireForm } from './http-target.js';

/** `--print`: the entry to paste, and the client's own command; for a client that we do not know, `json` or `toml`. */
export function printEntry(word: string, launch: Launch, { value, output }: Call): ExitCode {
  const client = word === 'json' || word === 'toml' ? undefined : clientNamed(word);
  const format: Format = client?.format ?? (word === 'toml' ? 'toml' : 'json');
  const name = value('name') ?? 'workbench';
  const entry = client === undefined ? { command: launch.command, args: launch.args } : client.entry(launch);
  const command = client?.ownCommand?.(name, launch, entry);
  return print({ word, client, format, name, entry, command, extra: [] }, output);
}

/** The same for a service over HTTP. The token itself is never in it. */
export function printHttpEntry(
  word: string,
  { url, hasOwnToken }: HttpTarget,
  { value, flag, computer, output }: Call,
): ExitCode {
  const client = word === 'json' || word === 'toml' ? undefined : clientNamed(word);
  const form = client === undefined ? commonHttpForms[word === 'toml' ? 'toml' : 'json'] : requireForm(client);
  const name = value('name') ?? 'workbench';
  const entry = form.entry(url, hasOwnToken ? printedWays(computer, flag('project')) : undefined);
  const command = form.ownCommand?.(name, url, entry);
  const asks = form.tokenBy === 'question' && hasOwnToken;
  const extra: Edit[] = asks ? [{ kind: 'add', at: [], name: 'inputs', source: { value: [tokenQuestion] } }] : [];
  const format: Format = client?.format ?? (word === 'toml' ? 'toml' : 'json');
  const exit = print({ word, client, format, name, entry, command, extra }, output);
  for (const line of httpHints(client, { url, hasOwnToken }, form)) output.say(line);
  return exit;
}

interface Printed {
  readonly word: string;
  readonly client: Client | undefined;
  readonly format: Format;
  readonly name: string;
  readonly entry: object;
  readonly command: readonly string[] | undefined;
  /** What else the file needs. */
  readonly extra: readonly Edit[];
}

function print(
  { word, client, format, name, entry, command: words, extra }: Printed,
  output: Call['output'],
): ExitCode {
  const at = client?.servers(openDocument(format, '')) ?? [format === 'toml' ? 'mcp_servers' : 'mcpServers'];
  const { text } = applyEdits(format, '', [{ kind: 'add', at, name, source: { value: entry } }, ...extra]);
  const command = words?.map(shellQuote).join(' ');
  output.document({ client: word, name, format, text, entry, ...(command !== undefined && { command }) });
  output.print(text.trimEnd());
  if (command !== undefined) output.say(`\nOr: ${command}`);
  return exitCodes.ok;
}
