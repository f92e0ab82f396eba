import { findConfiguration } from '../../../config/read/configuration.js';
import { headersIn, urlIn } from '../../../config/resolve/remote-entry.js';
import type { ServerFileEntry } from '../../../config/schema/schema.js';
import { createMask } from '../../../downstream/masking/mask.js';
import { secretValues } from '../../../downstream/masking/secret-values.js';
import type { ServerState } from '../../../inspect/server-states.js';
import { silentLog } from '../../../platform/log.js';
import { printableLine } from '../../../text/printable.js';
import { secretsInArguments } from '../../../text/secrets/find-secrets.js';
import { hiddenMark } from '../../../text/secrets/known-forms.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { duration } from '../../frame/screen/amounts.js';
import { ruleLines } from '../../frame/screen/rule-words.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { nextFor, packageText } from '../../state/state-text.js';

const labelWidth = 12;

/** One server in full, below its line: what it runs, its variables by name, its tools, and what is wrong with it. */
export async function printServer(
  server: ServerState,
  entry: ServerFileEntry,
  stray: string | undefined,
  call: Call,
): Promise<void> {
  const { output } = call;
  const now = Date.now();
  const line = (label: string, text: string) =>
    output.print(wrapped(`${label.padEnd(labelWidth)}${printableLine(text)}`, output.width, 2, labelWidth + 2));
  const below = (text: string) => output.print(wrapped(text, output.width, labelWidth + 2));
  const names = (all: readonly string[]) => all.join(', ');
  if (stray !== undefined) output.print(wrapped(`${output.mark('warning')} ${stray}`, output.width, 2, 4));
  output.print('');
  line(entry.command === undefined ? 'URL' : 'Command', await targetText(server, entry, call));
  const variables = [...(entry.env?.keys() ?? []), ...(entry.env_vars ?? [])];
  if (variables.length > 0) line('Variables', names(variables));
  const headers = headersIn(entry).map(({ name }) => name);
  if (headers.length > 0) line('Headers', names(headers));
  const { known, failure } = server;
  if (known?.package !== undefined) line('Package', packageText(known.package, known.approvedPackage, now));
  if (known !== undefined) {
    line('Tools', `read ${duration(now - known.at)} ago: ${names(known.tools.map(({ name }) => name)) || 'none'}`);
    for (const text of ruleLines(known)) below(text);
  }
  if (failure === undefined) return;
  line('Last error', `${duration(now - failure.at)} ago: ${failure.reason}`);
  const { says } = nextFor(server, call);
  if (says !== undefined) below(`${output.signs.talk} ${says}`);
}

/** As written, with secrets masked. */
async function targetText(
  { toolbox, server }: ServerState,
  entry: ServerFileEntry,
  { value, computer }: Call,
): Promise<string> {
  const config = await (await findConfiguration(value('config'), computer, silentLog)).load();
  const found = config.toolboxes.get(toolbox)?.servers.get(server);
  const words = entry.command === undefined ? [urlIn(entry)?.value ?? ''] : [entry.command, ...(entry.args ?? [])];
  const isUsable = found !== undefined && found.target.kind !== 'broken';
  // The values of references are not in the words.
  const secrets = secretsInArguments(words);
  const mask = createMask(isUsable ? secretValues(found) : new Map(secrets.map((one) => [one.value, one.certainty])));
  return words
    .map((word) => mask.text(entry.command === undefined ? word : shellQuote(word)).replaceAll('***', hiddenMark))
    .join(' ');
}
