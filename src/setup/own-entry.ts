import path from 'node:path';
import { mapped, plainReferences } from '../clients/own-form.js';
import { headersIn, urlIn } from '../config/resolve/remote-entry.js';
import type { ServerFileEntry } from '../config/schema/schema.js';
import { transportOf } from '../config/schema/transport.js';
import { variableOf } from '../config/values/expand-env.js';
import { referencesIn } from '../config/values/references.js';

/** An entry in our own form, as it is written to a file. */
export interface OwnEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly env_vars?: readonly string[];
  readonly disabled?: true;
  readonly [key: string]: unknown;
}

const targetKeys: ReadonlySet<string> = new Set([
  ...['command', 'args', 'env', 'cwd', 'env_vars'],
  ...['type', 'transport', 'url', 'httpUrl', 'serverUrl', 'headers', 'oauth'],
]);

/**
 * A valid entry as it is written: what is the default, or has no effect, is left out, and paths do not depend on where the
 * file is. `base`: where relative paths start; `project`: where the program works if nothing else is said.
 */
export function writtenEntry(entry: ServerFileEntry, base: string, project: string | undefined): OwnEntry {
  const { disabled, toolFilters, excludeTools, envFile, ...rest } = entry;
  const own = Object.entries(rest).filter(([key]) => !targetKeys.has(key));
  const written = {
    ...(entry.command === undefined ? remotePart(entry) : programPart(entry, base, project)),
    ...(envFile !== undefined && { envFile: absolute(envFile, base) }),
    ...(toolFilters !== undefined && toolFilters.join('\n') !== '*' && { toolFilters }),
    ...(excludeTools !== undefined && excludeTools.length > 0 && { excludeTools }),
    ...Object.fromEntries(own.map(([key, value]) => [key, plain(value)])),
    ...(disabled === true && { disabled }),
  };
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [
      key,
      mapped(value, (text) => plainReferences(withFiles(text, base))),
    ]),
  );
}

function programPart(entry: ServerFileEntry, base: string, project: string | undefined): OwnEntry {
  const { command = '', args = [], env = new Map<string, string>(), cwd, env_vars: passed = [] } = entry;
  const directory = cwd === undefined ? project : absolute(cwd, base);
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env.size > 0 && { env: Object.fromEntries(env) }),
    ...(passed.length > 0 && { env_vars: passed }),
    ...(directory !== undefined && { cwd: directory }),
  };
}

function remotePart(entry: ServerFileEntry): OwnEntry {
  const headers = headersIn(entry).map(({ name, value }) => [name, value] as const);
  const transport = transportOf({ ...entry }, '');
  return {
    url: urlIn(entry)?.value ?? '',
    ...(transport !== 'auto' && { type: transport }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(entry.oauth !== undefined && { oauth: entry.oauth }),
  };
}

/** `~` and variables at the beginning are for the reader of the configuration. */
function absolute(file: string, base: string): string {
  return /^(?:~|\$?\{)/.test(file) ? file : path.resolve(base, file);
}

function withFiles(text: string, base: string): string {
  return text.replaceAll(/(?<!\$)\$?\{file:([^{}]+)\}/g, (_, file: string) => `\${file:${absolute(file, base)}}`);
}

function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/**
 * What it is: two entries with the same text are the same server. How long it may take, and whether HTTP is named or found
 * out, make no difference; `connect` compares entries alike.
 */
export function identityOf(entry: OwnEntry): string {
  const { disabled: _, type: __, startTimeoutMs: ___, callTimeoutMs: ____, ...rest } = entry;
  return JSON.stringify(sorted(rest));
}

/** One server that stands in two clients: it is disabled if it is in both, and may take as long as in either. */
export function joined(one: OwnEntry, other: OwnEntry): OwnEntry {
  const { disabled, ...rest } = one;
  const most = (key: string) => {
    const times = [one[key], other[key]].filter((time) => typeof time === 'number');
    return times.length === 0 ? {} : { [key]: Math.max(...times) };
  };
  const isDisabled = disabled === true && other.disabled === true;
  return { ...rest, ...most('startTimeoutMs'), ...most('callTimeoutMs'), ...(isDisabled && { disabled }) };
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}

/** The ids of what VS Code would ask the user for, each with the variable that it is taken from. */
export function inputsIn(entry: OwnEntry): { readonly id: string; readonly variable: string }[] {
  const inputs = referencesIn(entry).filter(({ kind }) => kind === 'input');
  return [...new Map(inputs.map((input) => [input.name, { id: input.name, variable: variableOf(input) }])).values()];
}
