import type { Config, HeldServers, ServerConfig } from '../../config/config.js';
import { digest } from '../../config/resolve/entry-identity.js';
import type { ConfigFile, ServerFileEntry } from '../../config/schema/schema.js';
import { showHidden } from '../../text/hidden.js';
import { type Before, loosenedBy, setsLoosened, stricterLock } from './edit-changes.js';
import { alsoStrict, distinct, type KnownServers, rulesBefore, serversIn } from './known-servers.js';
import { startedBy } from './started-by.js';

/** What happens to an edit before a person has agreed to it. */
export interface WeighedEdit {
  readonly held: HeldServers;
  /** What waits for a yes: a line for each server. */
  readonly waiting: readonly string[];
  /** The same for the same difference, whatever else an edit changes. */
  readonly digest: string;
  /** What is started without one, because the client cannot ask. `note`: without any value, for the agent. */
  readonly applied: readonly { readonly line: string; readonly note: string }[];
}

/** An edit, and what decides about it. */
export interface EditToWeigh {
  readonly known: KnownServers;
  readonly current: Config;
  readonly next: Config;
  /** As it is written. */
  readonly file: ConfigFile | undefined;
  /** Whether what starts something else of a server waits for a yes as well. */
  readonly asksAbout: (server: ServerConfig) => boolean;
}

export function weighEdit({ known, current, next, file, asksAbout }: EditToWeigh): WeighedEdit {
  const held = new Map<string, Map<string, ServerConfig | undefined>>();
  const waiting: { line: string; values: string[] }[] = [];
  const applied: { line: string; note: string }[] = [];
  for (const server of serversIn(next)) {
    const inUse = current.toolboxes.get(server.toolbox)?.servers.get(server.name);
    const { before, like } = rulesBefore(known, server);
    const loosened = loosenedBy(before, server);
    const started = startedBy(inUse, server, entryOf(file, server));
    const isStartHeld = started.length > 0 && asksAbout(server);
    const lines = started.map(({ line }) => line);
    const what = started.map((one) => one.what);
    if (started.length > 0 && !isStartHeld) applied.push({ line: lineOf(server, lines), note: lineOf(server, what) });
    if (loosened.length === 0 && !isStartHeld) continue;
    const rules =
      loosened.length > 0 && like !== undefined
        ? [`compared with ${placeOf(like)}, which is like it`, ...loosened]
        : loosened;
    waiting.push({
      line: lineOf(server, [...rules, ...(isStartHeld ? lines : [])]),
      values: isStartHeld ? started.map(({ value }) => value) : [],
    });
    const servers = held.get(server.toolbox) ?? new Map<string, ServerConfig | undefined>();
    held.set(server.toolbox, servers);
    servers.set(server.name, isStartHeld ? inUse && alsoStrict(inUse, server) : withRulesOf(before, server));
  }
  return { held, waiting: waiting.map(({ line }) => line), digest: digest(waiting), applied };
}

/** With the settings of `defaults`, where the entry has none of its own. */
function entryOf(file: ConfigFile | undefined, { toolbox, name }: ServerConfig): ServerFileEntry | undefined {
  const entry = file?.toolboxes.get(toolbox)?.mcpServers.get(name);
  return entry && { ...file?.defaults, ...entry };
}

/** The edited entry, but no less strict than before. */
function withRulesOf(before: Before, edited: ServerConfig): ServerConfig {
  const earlier = distinct(setsLoosened(before, edited));
  return { ...edited, lock: stricterLock(before.lock, edited.lock), ...(earlier.length > 0 && { earlier }) };
}

function lineOf(server: ServerConfig, changes: readonly string[]): string {
  return `${placeOf(server)}: ${changes.join('; ')}`;
}

function placeOf({ toolbox, name }: ServerConfig): string {
  return `${oneWord(toolbox)}/${oneWord(name)}`;
}

function oneWord(name: string): string {
  return /^[\w.:@-]+$/.test(name) ? name : showHidden(JSON.stringify(name));
}
