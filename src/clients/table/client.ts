import type { Computer } from '../../platform/computer.js';
import type { Document, Format, KeyPath } from '../documents/document.js';

export const clientNames = [
  ...(['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini', 'opencode', 'windsurf', 'zed'] as const),
  ...(['copilot', 'qwen'] as const),
] as const;
export type ClientName = (typeof clientNames)[number];

/** What of a document says where its servers are. */
export type Members = Pick<Document, 'keysAt' | 'entriesAt'>;

/** How a client starts the workbench. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables that the configuration refers to. Some clients pass on only the ones that an entry names. */
  readonly variables: readonly string[];
}

/** What there is to know about a client and its file. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  readonly format: Format;
  /** Where the user's own file may be: the first that exists is used, else the first one. */
  readonly files: (computer: Computer) => readonly string[];
  /** Paths of which one exists if the client is installed; beside its file. */
  readonly signs: (computer: Computer) => readonly string[];
  /** The file that a project shares by git, relative to its directory. */
  readonly projectFile?: string;
  /** The object whose members are the servers. */
  readonly servers: (document: Members) => KeyPath;
  /** More such objects in the user's own file, each with the directory that its servers work in. */
  readonly projects?: (document: Members) => readonly ProjectScope[];
  /** How variables are written in its entries, if not as in ours: `$A`, or `{env:A}`. `none`: it has none, so `${A}` is just text. */
  readonly variables?: 'dollar' | 'braces' | 'none';
  /** Our entry in its format. */
  readonly entry: (launch: Launch) => object;
  /** Its own command that adds the entry. */
  readonly ownCommand?: (name: string, launch: Launch, entry: object) => readonly string[];
  /** What to do for it to see the change. */
  readonly restart: string;
  /** It locks its file with a directory beside it while it writes. */
  readonly hasLock?: true;
}

export interface ProjectScope {
  readonly at: KeyPath;
  readonly directory: string;
}
