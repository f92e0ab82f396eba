import { type Access, readTextFile } from '../../config/files/text-file.js';
import { createLocator } from '../../config/read/notice.js';
import { realPathOf } from '../../config/trust/trust-store.js';
import { WorkbenchError } from '../../contract/errors.js';
import { maxClientFileBytes } from '../../limits.js';
import { type Document, type Entry, isMisfit } from '../documents/document.js';
import { openDocument } from '../documents/open-document.js';
import type { Client } from '../table/client.js';

/** How a file is edited. */
export interface FileKind extends Pick<Client, 'format' | 'hasLock'> {
  /** It is a configuration of ours. */
  readonly isConfiguration?: true;
}

/** A file that a command edits, as it was read: that of a client, or one of ours. */
export interface ClientFile {
  readonly kind: FileKind;
  /** As the user knows it; `real`: where links lead. */
  readonly path: string;
  readonly real: string;
  /** Undefined if there is no file yet. */
  readonly access: Access | undefined;
  readonly bytes: Buffer;
  readonly document: Document;
}

/** A server in the file of a client. */
export interface ClientEntry extends Entry {
  /** The directory of the project that it is for; undefined for all of them. */
  readonly project?: string;
  /** Its client does not start it, though its own text does not say so. */
  readonly isDisabled?: true;
}

/** Reads and parses the file of a client. Throws for one that cannot be used, with line and column where there are. */
export function readClientFile(kind: FileKind, path: string): ClientFile {
  const real = realPathOf(path);
  const content = readTextFile(real, maxClientFileBytes);
  if (content.kind === 'unreadable' || content.kind === 'invalid')
    throw new WorkbenchError('CLIENT_FILE_INVALID', `${path} cannot be used: ${content.problem}.`);
  const { text, bytes, access } =
    content.kind === 'text' ? content : { text: '', bytes: Buffer.alloc(0), access: undefined };
  const document = inFile(path, text, () => openDocument(kind.format, text));
  return { kind, path, real, access, bytes, document };
}

/** All servers in the file, those of projects included. */
export function serversIn(client: Client, { path, document }: ClientFile): ClientEntry[] {
  return inFile(path, document.text, () => [
    ...document.entriesAt(client.servers(document)),
    ...(client.projects?.(document) ?? []).flatMap(({ at, directory }) =>
      document.entriesAt(at).map((entry) => ({ ...entry, project: directory })),
    ),
  ]);
}

/** What cannot be read or edited becomes an error with file, line and column. */
export function inFile<T>(path: string, text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isMisfit(error)) throw error;
    const { line, column } = createLocator(text)(error.offset);
    throw new WorkbenchError('CLIENT_FILE_INVALID', `${path}:${line}:${column} ${error.message}`);
  }
}
