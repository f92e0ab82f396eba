import { existsSync } from 'node:fs';
import { readTextFile } from '../../../config/files/text-file.js';
import { isAsTrusted } from '../../../config/read/trust-content.js';
import type { Trust, TrustedFile } from '../../../config/trust/trust-store.js';
import { maxConfigBytes } from '../../../limits.js';
import type { Computer } from '../../../platform/computer.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Output } from '../../frame/screen/output.js';
import { visible } from './trust-plan.js';

/** `mcp-workbench trust --list` */
export function listTrust({ files, directories }: Trust, computer: Computer, output: Output): ExitCode {
  const rows = [
    ...files.map((file) => ({ kind: 'file', path: file.path, at: file.at, state: stateOf(file, computer) })),
    ...directories.map(({ path, at }) => ({ kind: 'directory', path, at, state: existsSync(path) ? 'same' : 'gone' })),
  ];
  output.document({ trusted: rows });
  if (rows.length === 0) output.print('Nothing is trusted.');
  for (const { kind, path, at, state } of rows) {
    const note = state === 'same' ? '' : `, ${words[state]}`;
    output.print(`${output.mark(state === 'same' ? 'well' : 'warning')} ${visible(path)}  ${kind}, since ${at}${note}`);
  }
  return exitCodes.ok;
}

const words: Readonly<Record<string, string>> = {
  changed: 'changed since, or a file that it names: not used until it is trusted again',
  gone: 'no longer there',
};

function stateOf(file: TrustedFile, computer: Computer): string {
  const content = readTextFile(file.path, maxConfigBytes);
  if (content.kind === 'missing') return 'gone';
  return content.kind === 'text' && isAsTrusted(file, content.bytes, computer) ? 'same' : 'changed';
}
