import type { Config, ServerConfig } from '../config/config.js';
import { parseConfig } from '../config/load.js';
import { isWorkbenchError } from '../contract/errors.js';

/** What a configuration is read with. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Lists the faults of a configuration, or what it contains. Values are never repeated: they may be secrets. */
export function checkConfiguration(text: string, { env, home }: Surroundings): string {
  try {
    return summary(parseConfig(text, { path: 'workbench-config.json', env, home }));
  } catch (error) {
    if (isWorkbenchError(error) && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
}

function summary({ toolboxes, warnings }: Config): string {
  const lines = [...toolboxes.values()].flatMap(({ name, description, servers }) => [
    `- ${name}: ${description}`,
    ...[...servers.values()].map((server) => `  - ${server.name}: ${stateOf(server)}`),
  ]);
  return [
    `Valid. ${count(toolboxes.size, 'toolbox', 'toolboxes')}:`,
    ...lines,
    ...warnings.map((warning) => `Warning: ${warning}`),
    'Next: save it, e.g. as workbench-config.json in the working directory of the workbench, and restart the workbench.',
  ].join('\n');
}

function stateOf({ target, disabled, toolFilters }: ServerConfig): string {
  if (disabled) return 'disabled';
  if (target.kind === 'broken') return `unavailable: ${target.reason}`;
  return `${target.kind === 'stdio' ? 'local program' : 'remote server'}, ${shownTools(toolFilters)}`;
}

function shownTools(filters: readonly string[]): string {
  if (filters.includes('*')) return 'all tools';
  return filters.length === 0 ? 'no tools' : 'tools that match its filters';
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
