import type { RemoteTarget, ServerConfig, StdioTarget } from '../../config/config.js';
import { digest, targetDigest } from '../../config/resolve/entry-identity.js';
import { urlIn } from '../../config/resolve/remote-entry.js';
import type { ServerFileEntry } from '../../config/schema/schema.js';
import { createHideSecrets } from '../../config/trust/hide-secrets.js';
import { runsCode } from '../../config/values/code-variables.js';
import { hasReference } from '../../config/values/references.js';
import { createReplaceAny } from '../../text/replace-any.js';
import { secretsInValue } from '../../text/secrets/find-secrets.js';
import { hiddenMark } from '../../text/secrets/known-forms.js';
import { shorten } from '../../text/shorten.js';
import { shownWord } from './shown-word.js';

/** What an edit would start or connect to that the entry did not before. */
export interface Started {
  /** `program`, `variable NAME` */
  readonly what: string;
  /** The same with what it is now. */
  readonly line: string;
  /** What it is now, whole; never shown. */
  readonly value: string;
}

/** Of a program with its arguments. */
const longestWords = 1_000;

/** A program, a URL, a header, a variable, a directory. `written`: the entry of `after` as it stands in the file. */
export function startedBy(
  before: ServerConfig | undefined,
  after: ServerConfig,
  written: ServerFileEntry | undefined,
): Started[] {
  if (after.disabled || after.target.kind === 'broken') return [];
  const known = before === undefined || before.disabled || before.target.kind === 'broken' ? undefined : before;
  if (known !== undefined && targetDigest(known.target) === targetDigest(after.target)) return [];
  const old = new Map(known === undefined ? [] : factsOf(known, {}));
  const now = new Map(factsOf(after, written ?? {}));
  const changed = [...now].filter(([what, { value }]) => old.get(what)?.value !== value);
  const removed = [...old.keys()].filter((what) => !now.has(what));
  const all = [
    ...(known === undefined ? [plain('new server')] : []),
    ...changed.map(([what, { text, value }]) => ({ what, line: text === '' ? what : `${what}: ${text}`, value })),
    ...removed.map((what) => plain(`no ${what}`)),
  ];
  return all.length === 0 ? [plain('what it is started with', targetDigest(after.target))] : all;
}

function plain(what: string, value = ''): Started {
  return { what, line: what, value };
}

type Fact = readonly [what: string, { readonly value: string; readonly text: string }];

function fact(what: string, values: readonly string[], text: string): Fact {
  return [what, { value: JSON.stringify(values), text }];
}

/** What an entry starts or connects to. Values of variables and headers are compared, and never shown unless they run code. */
function factsOf(server: ServerConfig, written: ServerFileEntry): Fact[] {
  const { target } = server;
  if (target.kind === 'broken') return [];
  const show = showing(server, written);
  if (target.kind !== 'late') return targetFacts(target, written, show);
  const { words, env, cwd } = target.envCommand;
  return [
    fact('envCommand', words, show.words(words, written.envCommand)),
    fact('directory of envCommand', [cwd], show.words([cwd])),
    ...namedFacts('variable', target.draft.kind === 'remote' ? env : new Map()),
    ...targetFacts(target.draft, written, show),
  ];
}

function targetFacts(target: StdioTarget | RemoteTarget, written: ServerFileEntry, show: Show): Fact[] {
  if (target.kind === 'stdio') {
    const { command, args, env, cwd } = target;
    const words = [command, ...args];
    return [
      fact('program', words, show.words(words, [written.command ?? '', ...(written.args ?? [])])),
      ...namedFacts('variable', env, show),
      ...(cwd === undefined ? [] : [fact('directory', [cwd], show.words([cwd], [written.cwd ?? '']))]),
    ];
  }
  const { url, headers, transport, oauth } = target;
  return [
    fact('URL', [url], show.url(url, urlIn(written)?.value)),
    ...namedFacts('header', headers),
    fact('transport', [transport], transport),
    ...(oauth === undefined ? [] : [fact('oauth', [digest([oauth])], oauthText(oauth, show))]),
  ];
}

/** With `show`, a value that makes programs run code is shown. */
function namedFacts(kind: string, values: ReadonlyMap<string, string>, show?: Show): Fact[] {
  return Array.from(values, ([name, value]) =>
    fact(`${kind} ${shownWord(name)}`, [value], show !== undefined && runsCode(name) ? show.variable(name, value) : ''),
  );
}

/** All but the secret: who gets the login is what matters. */
function oauthText({ clientSecret, ...others }: NonNullable<RemoteTarget['oauth']>, show: Show): string {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const named = given.map(([name, value]) => `${name} ${show.oauth(name, value)}`);
  return [...named, ...(clientSecret === undefined ? [] : ['with a client secret'])].join(' ');
}

type Show = ReturnType<typeof showing>;

/**
 * Nothing that stands in the file itself is hidden because it is the value of a variable, too: whoever edits the file can write both.
 * Of what a word takes from variables, secrets are not shown: then the word is, as it is written.
 */
function showing({ secrets }: ServerConfig, { command = '', args = [], envCommand = [], env, oauth }: ServerFileEntry) {
  const hide = createHideSecrets([command, ...args, ...envCommand]);
  const configured = secrets.flatMap(secretsInValue).map(({ value }) => value);
  const masked = createReplaceAny(configured, hiddenMark);
  const readable = (value: string, written: unknown) =>
    typeof written === 'string' && hasReference(written) && masked(value) !== value ? written : value;
  return {
    words(words: readonly string[], written: readonly string[] = []): string {
      const all = words.map((word, index) => readable(word, written[index]));
      return cut(hide.words(all).map(shownWord).join(' '));
    },
    variable: (name: string, value: string) => cut(shownWord(hide.value(name, readable(value, env?.get(name))))),
    url(url: string, written: string | undefined): string {
      // The host is what matters; what follows it may be a secret by itself.
      const [, origin = '', rest = ''] = /^([^:]+:\/\/[^/?#]*)?([^]*)$/.exec(hide.url(readable(url, written))) ?? [];
      return cut(shownWord(origin + masked(rest)));
    },
    oauth(name: string, value: unknown): string {
      const written: unknown = new Map<string, unknown>(Object.entries(oauth ?? {})).get(name);
      const all: unknown[] = Array.isArray(value) ? value : [value];
      const shown = all.map((one, index) => readable(String(one), Array.isArray(written) ? written[index] : written));
      return cut(shown.map((one) => shownWord(hide.value(name, one))).join(' '));
    },
  };
}

function cut(text: string): string {
  return text.length <= longestWords ? text : `${shorten(text, longestWords)} (cut: ${text.length} characters in all)`;
}
