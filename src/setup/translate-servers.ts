import path from 'node:path';
import type { ClientEntry } from '../clients/files/client-file.js';
import { containerOf, ownForm } from '../clients/own-form.js';
import { withoutBridge } from '../clients/remote-bridge.js';
import { type CheckedFile, checkFile } from '../config/read/parse.js';
import { parseQuickly } from '../config/read/quick.js';
import { entryKeyNames } from '../config/schema/dialect-schema.js';
import type { ServerFileEntry } from '../config/schema/schema.js';
import { isRecord } from '../jsonrpc/json.js';
import type { ServerSource } from './find-servers.js';
import { inputsIn, type OwnEntry, writtenEntry } from './own-entry.js';

/** A server of a client in our own form. */
export interface TranslatedServer {
  readonly source: ServerSource;
  readonly found: ClientEntry;
  readonly entry: OwnEntry;
  readonly inputs: readonly Input[];
  /** Keys that only its client uses. */
  readonly leftOut: readonly string[];
}

/** What VS Code asks the user for. */
export interface Input {
  readonly id: string;
  /** The variable that has the answer. */
  readonly variable: string;
  readonly question?: string;
}

/** A server of a client that a configuration cannot have. */
export interface UntranslatedServer {
  readonly source: ServerSource;
  readonly found: ClientEntry;
  readonly problem: string;
}

export interface Translations {
  readonly translated: readonly TranslatedServer[];
  readonly untranslated: readonly UntranslatedServer[];
}

/** The servers of a file, each in our own form or with the reason why it cannot be. */
export function translateServers(source: ServerSource): Translations {
  const translated: TranslatedServer[] = [];
  const untranslated: UntranslatedServer[] = [];
  const values = source.entries.map((found) => directForm(source, found));
  const questions = questionsIn(source);
  // All at once; one by one only to find the ones with faults.
  const all = entriesOf(checkFile(textOf(source, values)));
  for (const [index, found] of source.entries.entries()) {
    const checked = all === undefined ? checkFile(textOf(source, [values[index]])) : undefined;
    const entry = all?.[index] ?? (checked && entriesOf(checked)?.[0]);
    if (entry === undefined || found.name === '') {
      const problem = found.name === '' ? 'it has no name' : (checked?.faults[0]?.message ?? 'it cannot be read');
      untranslated.push({ source, found, problem });
    } else {
      const base = found.project ?? path.dirname(source.file.real);
      const own = writtenEntry(entry, base, found.project);
      const inputs = inputsIn(own).map((input) => ({ ...input, ...questions.get(input.id) }));
      translated.push({ source, found, entry: own, inputs, leftOut: unknownKeys(values[index]) });
    }
  }
  return { translated, untranslated };
}

function directForm({ client }: ServerSource, { value, project, isDisabled }: ClientEntry): unknown {
  const own = ownForm(client, value, project);
  const direct = withoutBridge(own) ?? own;
  return isDisabled === true && isRecord(direct) ? { ...direct, disabled: true } : direct;
}

function unknownKeys(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value).filter((key) => !entryKeyNames.has(key)) : [];
}

/** A configuration with these servers. They are numbered: names may occur twice, for two projects. */
function textOf({ client }: ServerSource, values: readonly unknown[]): string {
  const servers = values.map((value, index) => `"s${index}":${JSON.stringify(value) ?? 'null'}`).join(',');
  return `{"toolboxes":{"any":{"description":"any","${containerOf(client)}":{${servers}}}}}`;
}

function entriesOf({ parsed }: CheckedFile): ServerFileEntry[] | undefined {
  const toolbox = parsed?.file.toolboxes.get('any');
  return toolbox && [...toolbox.mcpServers.values()];
}

/** What VS Code would ask, by the id of the input. */
function questionsIn({ client, file }: ServerSource): ReadonlyMap<string, { readonly question?: string }> {
  const root = client.name === 'vscode' ? parseQuickly(file.document.text.replace(/^\uFEFF/, '')) : undefined;
  const inputs: unknown = isRecord(root) ? root['inputs'] : undefined;
  const all: readonly unknown[] = Array.isArray(inputs) ? inputs : [];
  return new Map(
    all
      .filter(isRecord)
      .map(({ id, description }) => [String(id), typeof description === 'string' ? { question: description } : {}]),
  );
}
