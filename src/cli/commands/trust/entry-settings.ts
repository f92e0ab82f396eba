import { urlIn } from '../../../config/resolve/remote-entry.js';
import type { ConfigFile, ServerFileEntry } from '../../../config/schema/schema.js';
import type { HideSecrets } from '../../../config/trust/hide-secrets.js';

/** A setting by its place in the entry or the file: `oauth.clientSecret`. */
export type Settings = Readonly<Record<string, string>>;

/** Keys with lines of their own on the screen. */
const shownApart = ['headers', 'cwd', 'env', 'disabled', 'envCommand', 'envFile', 'env_vars'];

/** Every key of an entry that has no line of its own: what is not known here is shown, too. */
export function settingsOf(entry: ServerFileEntry, hide: HideSecrets): Settings {
  const url = urlIn(entry)?.at.join('.');
  const isWord = typeof entry.transport === 'string';
  const ofUrl = ['type', 'transport.type', 'transport.headers', ...(isWord ? ['transport'] : [])];
  const inTarget = entry.command === undefined ? ofUrl : ['command', 'args'];
  const apart = new Set([...shownApart, ...inTarget, ...(url === undefined ? [] : [url])]);
  return flattened(entry, apart, hide);
}

/** The settings of the whole file. Those of `defaults` that are shown with each server are not repeated. */
export function fileSettingsOf(file: ConfigFile, hide: HideSecrets): Settings {
  const ofServers = ['envCommand', 'envFile', 'env_vars'].map((key) => `defaults.${key}`);
  return flattened(file, new Set(['$schema', 'toolboxes', 'envFile', ...ofServers]), hide);
}

function flattened(value: object, apart: ReadonlySet<string>, hide: HideSecrets): Settings {
  const settings: [string, string][] = [];
  function add(one: unknown, at: string, name: string): void {
    if (one === undefined || apart.has(at)) return;
    if (Array.isArray(one)) settings.push([at, JSON.stringify(one.map((item) => shown(name, item)))]);
    else if (typeof one === 'object' && one !== null) addAll(one, `${at}.`);
    else settings.push([at, shown(name, one)]);
  }
  const shown = (name: string, one: unknown) =>
    typeof one === 'string' ? hide.value(name, one) : (JSON.stringify(one) ?? '');
  function addAll(all: object, before: string): void {
    const entries: Iterable<[unknown, unknown]> = all instanceof Map ? all : Object.entries(all);
    for (const [key, one] of entries) add(one, `${before}${String(key)}`, String(key));
  }
  addAll(value, '');
  return Object.fromEntries(settings);
}
