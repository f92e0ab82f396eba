import { isRecord } from '../../jsonrpc/json.js';

/** A file that a trusted configuration names, as the user trusted it. */
export interface VouchedFile {
  readonly path: string;
  /** Of what `named-files.ts` says is trusted about it. */
  readonly sha256: string;
}

export function areVouchedFiles(value: unknown): value is readonly VouchedFile[] {
  return Array.isArray(value) && value.every(isVouchedFile);
}

export function isVouchedFile(value: unknown): value is VouchedFile {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['sha256'] === 'string';
}
