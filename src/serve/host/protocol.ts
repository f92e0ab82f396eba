import { isAbsolute } from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';

/** What a session sends to the host when it attaches, after `{"workbench":1,"ask":"attach"`. */
export interface Hello {
  /** Of the workbench: parts of two builds do not understand each other. */
  readonly version: string;
  readonly build: string;
  /** Of the process that the client started. */
  readonly pid: number;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: SentConfig;
  /** A line for the agent. */
  readonly note: string | null;
  /** Only what the user has approved may be used. */
  readonly isFrozen: boolean;
}

/** Null: the embedded one. */
export type SentConfig = { readonly path: string; readonly text: string } | null;

/** What a front sends with an edited configuration, which may name other variables. */
export type Edit = Pick<Hello, 'env' | 'config'>;

/** The answer to a hello. */
export interface Attached {
  readonly session: string;
  /** The longest message to the agent. */
  readonly maxBytes: number;
}

/** Messages between front and host that are not the agent's. Agents cannot send them: the front passes on nothing with another method than its own. */
export const methods = {
  /** Front to host: who makes the following calls, for an agent with a handshake. */
  caller: 'workbench/caller',
  /** Front to host: the configuration was edited. */
  apply: 'workbench/apply',
  /** Front to host: a line for the agent. */
  note: 'workbench/note',
  /** Front to host, and back at once. */
  ping: 'workbench/ping',
  /** Host to front: a line for the log. */
  log: 'workbench/log',
  /** Host to front: the longest message to the agent is another. */
  limit: 'workbench/limit',
} as const;

/** Whether this line says that the host ends: it takes no new sessions, or it is asked to end and leaves those it has. */
export function saysThatItEnds(line: unknown): boolean {
  return isRecord(line) && isRecord(line['error']) && line['error']['code'] === 'ENDING';
}

type Fields = Readonly<Record<string, unknown>>;

/** A hello, or what is wrong with it. */
export function readHello(value: Fields): Hello | string {
  const { version, build, pid, cwd, home, note, isFrozen } = value;
  if (typeof version !== 'string' || typeof build !== 'string') return 'version and build: Expected strings';
  if (typeof pid !== 'number') return 'pid: Expected a number';
  if (typeof cwd !== 'string' || !isAbsolute(cwd)) return 'cwd: Expected an absolute path';
  if (typeof home !== 'string' || !isAbsolute(home)) return 'home: Expected an absolute path';
  if (note !== null && typeof note !== 'string') return 'note: Expected a string or null';
  if (typeof isFrozen !== 'boolean') return 'isFrozen: Expected true or false';
  const edit = readEdit(value);
  return typeof edit === 'string' ? edit : { version, build, pid, cwd, home, note, isFrozen, ...edit };
}

/** An edit, or what is wrong with it. */
export function readEdit({ env: given, config }: Fields): Edit | string {
  if (!isRecord(given)) return 'env: Expected an object';
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') return 'env: Expected strings';
    // `__proto__` is a name like any other.
    Object.defineProperty(env, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (config === null) return { env, config };
  if (!isRecord(config)) return 'config: Expected an object or null';
  const { path, text } = config;
  if (typeof path !== 'string' || !isAbsolute(path)) return 'config.path: Expected an absolute path';
  return typeof text === 'string' ? { env, config: { path, text } } : 'config.text: Expected a string';
}
