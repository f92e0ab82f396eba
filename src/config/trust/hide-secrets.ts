import { createReplaceAny } from '../../text/replace-any.js';
import { type FoundSecret, isSecret, secretsInArguments, secretsInValue } from '../../text/secrets/find-secrets.js';
import { hiddenMark, hideKnownForms, knownFormsIn } from '../../text/secrets/known-forms.js';
import { isSwitch, looksSecret } from '../../text/secrets/names.js';
import { beginsLikePath, isUrl } from '../../text/secrets/plain.js';
import { urlIn } from '../resolve/remote-entry.js';
import type { ConfigFile, ServerFileEntry } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { hasReference } from '../values/references.js';

/**
 * Hides the secrets in what a stranger's file would run, and nothing that is run: no program, path or code, no host, and no
 * value that a script of the same entry takes from a variable.
 */
export interface HideSecrets {
  words(words: readonly string[]): string[];
  value(name: string, value: string): string;
  url(url: string): string;
}

/** `scripts`: the words of the entry's commands. */
export function createHideSecrets(scripts: readonly string[]): HideSecrets {
  function isHidden({ value, certainty, name }: FoundSecret): boolean {
    if (knownFormsIn(value)[0] === value) return true;
    if (certainty !== 'named' || beginsLikePath(value) || !/^[\w.~+/=:@-]*$/.test(value)) return false;
    return name === undefined || !scripts.some((script) => takes(script, name));
  }

  function hide(text: string, secrets: readonly FoundSecret[]): string {
    const hidden = secrets.filter(isHidden).map(({ value }) => value);
    return createReplaceAny(hidden, hiddenMark)(text);
  }

  return {
    words(words) {
      const program = programAfter(words);
      const secrets = secretsInArguments(words);
      return words.map((word, index) => {
        if (isUrl(word)) return hideInUrl(word);
        const isRun = index === 0 || index === program;
        return hide(word, isRun ? secrets.filter(({ value }) => value !== word) : secrets);
      });
    },
    value(name, value) {
      if (!isUrl(value)) return hide(value, secretsInValue({ name, value }));
      // Of an address that is a secret, as of webhooks, the host is shown.
      return isSecret(name, '')
        ? hideInUrl(value).replace(/^([^:]+:\/\/[^/?#]+[/?#])[^]+$/, `$1${hiddenMark}`)
        : hideInUrl(value);
    },
    url: hideInUrl,
  };
}

/** All that may take what it runs or calls from a variable. */
export function scriptsIn({ toolboxes, defaults }: ConfigFile): string[] {
  const entries = [...toolboxes.values()].flatMap(({ mcpServers }) => [...mcpServers.values()]);
  return [...entries, defaults ?? {}].flatMap((entry: ServerFileEntry) => {
    const { command = '', args = [], cwd = '', envCommand = [], env = new Map<string, string>() } = entry;
    const codeIn = [...env].flatMap(([name, value]) => (runsCode(name) ? [value] : []));
    return [command, ...args, cwd, ...envCommand, ...codeIn, urlIn(entry)?.value ?? ''];
  });
}

/** The first argument of a command that may be a program, script or package, too. */
function programAfter(words: readonly string[]): number {
  return words.findIndex((word, index) => {
    const before = words[index - 1] ?? '';
    const isNamed = before.startsWith('-') && looksSecret(before) && !isSwitch(before);
    return index > 0 && !word.startsWith('-') && !/^\w+=/.test(word) && !isNamed;
  });
}

/** `$NAME`, `${NAME}`, `%NAME%`, `env.NAME`, `env['NAME']` */
function takes(script: string, name: string): boolean {
  return ['$', '${', '%', 'env.', "env['", 'env["'].some((sign) => script.includes(sign + name));
}

/** Passwords of any length: the host has to be seen, and nothing else. */
function hideInUrl(url: string): string {
  const shown = url
    .replace(/^([^:]+:\/\/[^/?#:@]*:)([^@/?#]*)(?=@)/, (all, before: string, password: string) =>
      password === '' || hasReference(password) ? all : before + hiddenMark,
    )
    .replaceAll(/([?&#])([^=&#]+)=([^&#]+)/g, (all, sign: string, name: string, value: string) =>
      isSecret(name, value) && !hasReference(value) ? `${sign}${name}=${hiddenMark}` : all,
    );
  return hideKnownForms(shown, hiddenMark);
}
