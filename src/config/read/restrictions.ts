import { isRecord } from '../../jsonrpc/json.js';
import type { ConfigFile, ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import { type FoundRules, readRulesLeniently } from './lenient-rules.js';

/**
 * An earlier file with every `deny`, `ask` and `disabled` that can be read in a faulty text of it. Nothing else of that text counts,
 * so the result is never less strict than either of them.
 */
export function restrictedBy(file: ConfigFile, faultyText: string): ConfigFile {
  const found = readRulesLeniently(faultyText, (name) => file.toolboxes.has(name));
  const ofDefaults = found.get('defaults') ?? [];
  const asksByDefault = ofDefaults.some(({ ask }) => ask.length > 0);
  const names = new Set([...file.toolboxes.values()].flatMap(({ mcpServers }) => [...mcpServers.keys()]));
  // A server that only one of the two texts has may be one of the other under another name.
  const renamed = [...found].flatMap(([name, rules]) => (name === 'defaults' || names.has(name) ? [] : rules));
  // The server may stand in another toolbox now.
  const isOf = (rules: FoundRules, toolbox: string, server: string) =>
    (rules.toolbox ?? toolbox) === toolbox || !file.toolboxes.get(rules.toolbox ?? '')?.mcpServers.has(server);
  const toolboxes = Array.from(file.toolboxes, ([toolbox, box]) => {
    const servers = Array.from(box.mcpServers, ([server, entry]) => {
      const own = found.get(server)?.filter((rules) => isOf(rules, toolbox, server)) ?? renamed;
      return [server, own.length === 0 ? entry : restrictedEntry(entry, own, asksByDefault)] as const;
    });
    return [toolbox, { ...box, mcpServers: new Map(servers) }] as const;
  });
  const defaults = ofDefaults.length === 0 ? file.defaults : restrictedRules(file.defaults ?? {}, ofDefaults, false);
  return { ...file, toolboxes: new Map(toolboxes), ...(defaults && { defaults }) };
}

function restrictedEntry(entry: ServerFileEntry, found: readonly FoundRules[], asks: boolean): ServerFileEntry {
  const isDisabled = found.some((one) => one.isDisabled);
  return { ...restrictedRules(entry, found, asks), ...(isDisabled && { disabled: true }) };
}

/** `asks`: the text asks for tools of this server elsewhere. */
function restrictedRules<Rules extends Pick<ServerFileSettings, 'deny' | 'ask' | 'allow'>>(
  rules: Rules,
  found: readonly FoundRules[],
  asks: boolean,
): Rules {
  const added = (list: 'deny' | 'ask') => [...new Set([...(rules[list] ?? []), ...found.flatMap((one) => one[list])])];
  const [deny, ask] = [added('deny'), added('ask')];
  // An exception that the text no longer has would undo its `ask`.
  const isAsking = asks || found.some((one) => one.ask.length > 0);
  const allow = isAsking ? rules.allow?.filter((rule) => found.every((one) => one.allow.includes(rule))) : rules.allow;
  return {
    ...rules,
    ...(deny.length > 0 && { deny }),
    ...(ask.length > 0 && { ask }),
    ...(allow !== undefined && { allow }),
  };
}

/** A file in our own form as text. Names keep their order, and `__proto__` is one, as in Maps. */
export function fileText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(fileText).join(',')}]`;
  if (!(value instanceof Map) && !isRecord(value)) return JSON.stringify(value);
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  const written = entries.filter(([, held]) => held !== undefined);
  return `{${written.map(([name, held]) => `${JSON.stringify(String(name))}:${fileText(held)}`).join(',')}}`;
}
