import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ClientFile } from '../../../clients/files/client-file.js';
import { secretsFileName } from '../../../config/values/secrets-file.js';
import { nameSecrets, readSecretsFile, type Secret, secretReference } from '../../../setup/edit/secrets-file.js';
import { moveSecrets } from '../../../setup/move-secrets.js';
import { canAsk, confirmSafe } from '../../frame/screen/prompt.js';
import { shortPath } from '../../frame/screen/short-path.js';
import type { AddWish } from './add-wish.js';
import type { EditRequest } from './edit-request.js';
import { isRisky } from './risky-value.js';
import type { NamedText } from './server-entry.js';

interface Kept {
  readonly target: AddWish['target'];
  readonly texts: readonly NamedText[];
  readonly secrets: readonly Secret[];
}

/** Values that may be secrets go to the file of secrets, if the user wants it; else they stay in the configuration. */
export async function keepSecrets(
  { server, target }: AddWish,
  texts: readonly NamedText[],
  configFile: string,
  call: Asked,
): Promise<Kept> {
  const risky = texts.filter(({ name, value }) => isRisky(name, value));
  const wanted = risky.map((text) => ({ name: secretNameOf(text, server), value: text.value }));
  const kept = readSecretsFile(configFile);
  const named = nameSecrets(kept, wanted);
  const inTarget = secretsInTarget({ server, target }, [...valuesIn(kept), ...named]);
  const found = [...risky.map(({ name }) => name), ...inTarget.secrets.map(({ what }) => what)];
  if (found.length === 0) return { texts, target, secrets: [] };
  if (!(await movesSecrets(found, configFile, call))) return { texts, target, secrets: [] };
  const moved = new Map(risky.map((text, index) => [text, named[index]?.name ?? '']));
  return {
    texts: texts.map((text) => {
      const name = moved.get(text);
      return name === undefined ? text : { ...text, value: secretReference(name) };
    }),
    target: inTarget.target,
    secrets: [...named, ...inTarget.secrets.map(({ name, value }) => ({ name, value }))],
  };
}

type Asked = Pick<EditRequest, 'flag' | 'output' | 'computer'>;

/**
 * Whether values go to the file of secrets: by `--yes`, or because a person does not refuse. `isDefault`: also if no person can be
 * asked. They are named by what they are.
 */
export async function movesSecrets(
  found: readonly string[],
  configFile: string,
  { flag, output, computer }: Asked,
  isDefault = false,
): Promise<boolean> {
  const file = path.join(path.dirname(configFile), secretsFileName);
  const names = found.join(', ');
  const [is, it] = found.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const isAsked = !flag('yes') && !flag('dry-run') && output.width !== undefined && canAsk();
  if (isAsked) output.say(`${names} would be in the configuration as plain text.`);
  const isMoved =
    flag('yes') ||
    (isDefault && !isAsked) ||
    (isAsked && (await confirmSafe(`Move ${it} to ${shortPath(file, computer.home)}, readable by you alone?`)));
  if (isMoved) warnOfGit(file, { output, computer });
  else if (!isAsked)
    output.say(
      `! ${names} ${is} in the configuration as plain text. --yes moves ${it} to secrets.env beside it; -e NAME without a value takes it from the environment; --env-file FILE from a file.`,
    );
  return isMoved;
}

function valuesIn({ document }: Pick<ClientFile, 'document'>): Secret[] {
  return document.entriesAt([]).map(({ name, value }) => ({ name, value: String(value) }));
}

/** Secrets among the arguments, or in the URL. `taken`: names that others have. */
function secretsInTarget({ server, target }: Pick<AddWish, 'server' | 'target'>, taken: readonly Secret[]) {
  const values = new Map(taken.map(({ name, value }) => [name, value]));
  const written = { name: server, project: undefined, entry: target, inputs: [] };
  const { entries, secrets } = moveSecrets([written], (name) => values.get(name));
  const { url, args = [] } = entries.get(written) ?? {};
  return { target: 'url' in target ? { url: url ?? target.url } : { ...target, args }, secrets };
}

/** A header has the same name at every server. */
function secretNameOf({ key, name }: NamedText, server: string): string {
  const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  if (key === 'env') return name;
  return `${plain(server)}_${plain(name)}`.replace(/^(?=\d)/, '_');
}

function warnOfGit(file: string, { output, computer }: Pick<EditRequest, 'output' | 'computer'>): void {
  for (let directory = path.dirname(file); directory !== path.dirname(directory); directory = path.dirname(directory)) {
    if (directory === computer.home || !existsSync(path.join(directory, '.git'))) continue;
    output.say(`! ${shortPath(file, computer.home)} is in a git repository: write secrets.env into its .gitignore.`);
    return;
  }
}
