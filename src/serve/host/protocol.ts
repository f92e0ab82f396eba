import { isAbsolute } from 'node:path';
import { areVouchedFiles } from '../../config/files/vouched-file.js';
import type { FileText } from '../../config/read/configuration.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';

/** What a session sends to the host when it attaches, after `{"workbench":1,"ask":"attach"`. */
export interface Hello {
  /** The id of the session. */
  readonly session: string;
  /** Of the workbench: parts of two builds do not understand each other. */
  readonly version: string;
  readonly build: string;
  /** Of the process that the client started. */
  readonly pid: number;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: SentConfig;
  /** Servers that are not yet what the text of `config` says, as `encodeHeld` writes them. */
  readonly held?: string;
  /** A line for the agent. */
  readonly note: string | null;
  /** Only what the user has approved may be used. */
  readonly isFrozen: boolean;
  /** It is a command of ours. */
  readonly isCommand: boolean;
  /** Nothing is compared with the lock, nor added to it. */
  readonly isReview: boolean;
}

/** Null: the embedded one. */
export type SentConfig = FileText | null;

/** What a front sends with an edited configuration, which may name other variables. */
export type Edit = Pick<Hello, 'env' | 'config' | 'held'>;

/** The methods of control frames. After the hello and its answer, both of them lines, everything between session and host is a frame. */
export const methods = {
  /** To the host: who makes the following calls, for an agent with a handshake. */
  caller: 'caller',
  /** To the host: the agent has cancelled the request with the number of the frame. */
  cancel: 'cancel',
  /** To the host: progress of that request is wanted, under the token. */
  follow: 'follow',
  /** To the host: the agent got so many characters of the result of that request, which was not sent as it came. */
  shown: 'shown',
  rootsChanged: 'roots',
  /** To the host: the configuration was edited. */
  apply: 'apply',
  /** To the host: a line for the agent. */
  note: 'note',
  /** To the host, and back at once. */
  ping: 'ping',
  /** To the session: a line for the log. */
  log: 'log',
  /** To the session: the question with the number of the frame needs no answer any more. */
  withdraw: 'withdraw',
  /** To the session: the host is asked to end, and leaves the sessions it has. */
  ending: 'ending',
} as const;

/** To the host, whose answer to the hello has a `nonce`: it is shown, see `proof.ts`. */
export const provenLine = '{"workbench":1,"proven":true}\n';

/** Whether this answer to a hello says that the host ends and takes no new sessions. */
export function saysThatItEnds(line: unknown): boolean {
  return isRecord(line) && isRecord(line['error']) && line['error']['code'] === 'ENDING';
}

/** A hello, or what is wrong with it. */
export function readHello(value: JsonObject): Hello | string {
  const { session, version, build, pid, cwd, home, note, isFrozen, isCommand = false, isReview = false } = value;
  if (typeof session !== 'string') return 'session: Expected a string';
  if (typeof version !== 'string' || typeof build !== 'string') return 'version and build: Expected strings';
  if (typeof pid !== 'number') return 'pid: Expected a number';
  if (typeof cwd !== 'string' || !isAbsolute(cwd)) return 'cwd: Expected an absolute path';
  if (typeof home !== 'string' || !isAbsolute(home)) return 'home: Expected an absolute path';
  if (note !== null && typeof note !== 'string') return 'note: Expected a string or null';
  if (typeof isFrozen !== 'boolean') return 'isFrozen: Expected true or false';
  if (typeof isCommand !== 'boolean') return 'isCommand: Expected true or false';
  if (typeof isReview !== 'boolean') return 'isReview: Expected true or false';
  const edit = readEdit(value);
  return typeof edit === 'string'
    ? edit
    : { session, version, build, pid, cwd, home, note, isFrozen, isCommand, isReview, ...edit };
}

/** An edit, or what is wrong with it. */
export function readEdit({ env: given, config, held }: JsonObject): Edit | string {
  if (!isRecord(given)) return 'env: Expected an object';
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') return 'env: Expected strings';
    // `__proto__` is a name like any other.
    Object.defineProperty(env, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (config === null) return { env, config };
  if (!isRecord(config)) return 'config: Expected an object or null';
  const { path, text, isRelative, notice, vouched } = config;
  if (typeof path !== 'string' || !isAbsolute(path)) return 'config.path: Expected an absolute path';
  if (typeof text !== 'string') return 'config.text: Expected a string';
  if (notice !== undefined && typeof notice !== 'string') return 'config.notice: Expected a string';
  if (held !== undefined && typeof held !== 'string') return 'held: Expected a string';
  if (vouched !== undefined && !areVouchedFiles(vouched)) return 'config.vouched: Expected files';
  return {
    env,
    config: {
      path,
      text,
      ...(isRelative === true && { isRelative }),
      ...(notice !== undefined && { notice }),
      ...(vouched !== undefined && { vouched }),
    },
    ...(held !== undefined && { held }),
  };
}
