import type { Format } from '../../../clients/documents/document.js';
import { applyEdits, openDocument } from '../../../clients/documents/open-document.js';
import type { Launch } from '../../../clients/table/client.js';
import { clientOf } from '../../../clients/table/clients.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { clientNamed } from './client-target.js';

/** `--print`: the entry to paste, and the client's own command; for a client that we do not know, `json` or `toml`. */
export function printEntry(word: string, launch: Launch, { value, output }: Call): ExitCode {
  const client = word === 'json' || word === 'toml' ? undefined : clientNamed(word);
  const format: Format = client?.format ?? (word === 'toml' ? 'toml' : 'json');
  const name = value('name') ?? 'workbench';
  const entry = client === undefined ? { command: launch.command, args: launch.args } : client.entry(launch);
  const at = client?.servers(openDocument(format, '')) ?? [format === 'toml' ? 'mcp_servers' : 'mcpServers'];
  const { text } = applyEdits(format, '', [{ kind: 'add', at, name, source: { value: entry } }]);
  const command = clientOf(word)?.ownCommand?.(name, launch, entry).map(shellQuote).join(' ');
  output.document({ client: word, name, format, text, entry, ...(command !== undefined && { command }) });
  output.print(text.trimEnd());
  if (command !== undefined) output.say(`\nOr: ${command}`);
  return exitCodes.ok;
}
