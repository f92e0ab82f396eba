import { isRecord } from '../../jsonrpc/json.js';
import type { Edit, Format } from '../documents/document.js';

/** What a command changed in one file. */
export interface FileChange {
  readonly path: string;
  readonly real: string;
  readonly format: Format;
  /** The client that it connected. */
  readonly client?: string;
  readonly isUndone?: boolean;
  /** Its client locks it. */
  readonly hasLock?: true;
  /** It is a configuration of ours: it must stay valid. */
  readonly isConfiguration?: true;
  /** The whole text; null: there was no file. */
  readonly before: string | null;
  readonly after: string | null;
  readonly edits: readonly Edit[];
  /** What takes the edits back, in this order. */
  readonly inverse: readonly Edit[];
}

/** What a command changed, and whether it was taken back. */
export interface ChangeRecord {
  readonly id: number;
  readonly at: string;
  /** As it is shown: `connect claude-code`. */
  readonly command: string;
  /** The client that it connected or disconnected. */
  readonly client?: string;
  readonly changes: readonly FileChange[];
  /** It was written before the files were: it may not have happened. */
  readonly isPending?: boolean;
  readonly isUndone?: boolean;
  /** The records that it took back. */
  readonly reverts?: readonly number[];
}

/** Undefined for anything that is not a record: nothing but this program writes them, so a look at the outside is enough. */
export function parseRecord(text: string): ChangeRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isChangeRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isChangeRecord(value: unknown): value is ChangeRecord {
  return (
    isRecord(value) &&
    Number.isInteger(value['id']) &&
    typeof value['at'] === 'string' &&
    typeof value['command'] === 'string' &&
    Array.isArray(value['changes']) &&
    value['changes'].every(
      (change: unknown) => isRecord(change) && typeof change['real'] === 'string' && Array.isArray(change['inverse']),
    )
  );
}
