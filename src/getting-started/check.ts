import { formatPlace } from '../config/place.js';
import { type ParsedFile, parseFile } from '../config/read/parse.js';
import { ownPlace, placeIn } from '../config/resolve/entry-place.js';
import { headersIn, urlIn, uselessIn } from '../config/resolve/remote-entry.js';
import type { ServerFileEntry } from '../config/schema/schema.js';
import { variablesReferred } from '../config/values/references.js';
import { isWorkbenchError } from '../contract/errors.js';

/**
 * Lists the faults of a configuration, or what it contains. It looks at the text alone: the agent must not find out from the answer
 * which files exist, what is in them, or which variables are set. Values are never repeated: they may be secrets.
 */
export function checkConfiguration(text: string): string {
  try {
    return summary(parseFile(text, 'workbench-config.json'));
  } catch (error) {
    if (isWorkbenchError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
}

function summary({ file, places, warnings }: ParsedFile): string {
  const { toolboxes } = file;
  const lines = Array.from(toolboxes, ([name, { description, mcpServers }]) => [
    description === undefined ? `- ${name}` : `- ${name}: ${description}`,
    ...Array.from(mcpServers, ([server, entry]) => `  - ${server}: ${stateOf(entry)}`),
  ]).flat();
  return [
    `Valid. ${count(toolboxes.size, 'toolbox', 'toolboxes')}:`,
    ...lines,
    ...[...warnings, ...effectless(file, places)].map((warning) => `Warning: ${warning}`),
    'Variables and other files were not looked at, and no program was run.',
    'Next: save it. A running workbench uses it within two seconds; in the working directory, when the user trusts it (mcp-workbench trust).',
  ].join('\n');
}

function effectless({ toolboxes, defaults = {} }: ParsedFile['file'], places: ParsedFile['places']): string[] {
  return Array.from(toolboxes, ([toolbox, { mcpServers }]) =>
    Array.from(mcpServers, ([server, entry]) =>
      uselessIn(entry, defaults).map(({ at, why }) => {
        const place = places.get(entry) ?? ownPlace(toolbox, server);
        return `${formatPlace(placeIn(place, at))}: ${why}`;
      }),
    ).flat(),
  ).flat();
}

function stateOf(entry: ServerFileEntry): string {
  if (entry.disabled === true) return 'disabled';
  const kind = entry.command === undefined ? 'remote server' : 'local program';
  const needed = neededVariables(entry);
  return `${kind}, ${shownTools(entry.toolFilters ?? ['*'])}${needed.length === 0 ? '' : `, needs ${needed.join(', ')}`}`;
}

/** The variables that it refers to without a default, where it has an effect. What its program prints is not known. */
function neededVariables(entry: ServerFileEntry): string[] {
  const { command, args, env, envFile, envCommand, cwd, toolFilters, excludeTools } = entry;
  const target =
    command === undefined
      ? [urlIn(entry)?.value, headersIn(entry).map(({ value }) => value)]
      : [command, args, cwd, env];
  return variablesReferred([target, envFile, envCommand, toolFilters, excludeTools], true);
}

function shownTools(filters: readonly string[]): string {
  if (filters.includes('*')) return 'all tools';
  return filters.length === 0 ? 'no tools' : 'tools that match its filters';
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
