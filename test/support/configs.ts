import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markerVariable } from './processes.js';

/** Names to values. A Map keeps any name (`__proto__`) and any order (`10` before `2`), which an object does not. */
type Named<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T>;

export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly toolFilters?: readonly string[];
  readonly [setting: string]: unknown;
}

export interface ToolboxEntry {
  readonly description?: string;
  readonly mcpServers: Named<ServerEntry>;
}

export interface TestConfig {
  readonly toolboxes: Named<ToolboxEntry>;
  readonly [setting: string]: unknown;
}

/** A configuration of one toolbox, `dev`. */
export function devToolbox(mcpServers: Named<ServerEntry>): TestConfig {
  return { toolboxes: { dev: { description: 'For development', mcpServers } } };
}

/** Writes a configuration into a directory and returns its path. */
export function writeConfig(dir: string, config: TestConfig): string {
  return writeConfigText(dir, toJson(config));
}

export function writeConfigText(dir: string, text: string): string {
  const path = join(dir, 'workbench-config.json');
  writeFileSync(path, text);
  return path;
}

/** The same configuration with the marker in the environment of every server: children do not inherit that of the workbench. */
export function withMarker(config: TestConfig, marker: string): TestConfig {
  const markServer = (server: ServerEntry): ServerEntry =>
    'url' in server ? server : { ...server, env: { ...server.env, [markerVariable]: marker } };
  const markToolbox = (toolbox: ToolboxEntry): ToolboxEntry => ({
    ...toolbox,
    mcpServers: mapValues(toolbox.mcpServers, markServer),
  });
  return { ...config, toolboxes: mapValues(config.toolboxes, markToolbox) };
}

function entriesOf<T>(named: Named<T>): [string, T][] {
  return named instanceof Map ? [...named] : Object.entries(named);
}

function mapValues<T>(named: Named<T>, change: (value: T) => T): ReadonlyMap<string, T> {
  return new Map(entriesOf(named).map(([name, value]) => [name, change(value)]));
}

export function toJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = (value instanceof Map ? [...value] : Object.entries(value)).filter(
    ([, member]) => member !== undefined,
  );
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`).join(',')}}`;
}
