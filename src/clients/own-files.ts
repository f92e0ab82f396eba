import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readTextFile } from '../config/files/text-file.js';
import { maxClientFileBytes } from '../limits.js';
import type { Computer } from '../platform/computer.js';
import { crypto, sha256 } from '../platform/crypto.js';
import { dataDirectoryOf } from '../platform/directories.js';
import { requireOwnDirectory } from './files/own-place.js';
import { unwritable } from './files/replace-file.js';
import { readJournal } from './journal/store.js';
import { clients } from './table/clients.js';

/** This program as it is installed. */
export interface OwnFiles {
  readonly node: string;
  /** The path of `main.js`; the parts are beside it. */
  readonly script: string;
  readonly version: string;
}

/** Whether a package runner has put the program into a cache, which it may delete at any time. */
function isInRunnerCache(script: string): boolean {
  return /[/\\](?:_npx|dlx|dlx-[^/\\]+|bunx-[^/\\]+)[/\\]/.test(script);
}

/** Where the script will be for an entry, which outlasts the cache of a package runner. */
export function lastingScript(own: OwnFiles, computer: Computer): string {
  return isInRunnerCache(own.script) ? path.join(copyOf(own, computer), 'main.js') : own.script;
}

/** Makes it so. A directory that exists is never written to: a running workbench may load from it. */
export function installScript(own: OwnFiles, computer: Computer): void {
  const directory = copyOf(own, computer);
  if (!isInRunnerCache(own.script) || existsSync(path.join(directory, 'main.js'))) return;
  requireOwnDirectory(directory, computer);
  const temporary = `${directory}.${crypto().randomUUID().slice(0, 8)}.tmp`;
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    for (const file of filesToCopy(path.dirname(own.script)))
      copyFileSync(file, path.join(temporary, path.basename(file)));
    const manifest = { name: 'mcp-workbench', version: own.version, private: true, type: 'commonjs' };
    writeFileSync(path.join(temporary, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another one of us was faster.
    if (!existsSync(path.join(directory, 'main.js'))) throw unwritable(directory, error);
  }
}

/** What the program loads: parts, the files of the page, and the schema. Not the library. */
function filesToCopy(dist: string): string[] {
  const loaded = readdirSync(dist).filter((name) => /\.(?:js|html|css|svg|txt)$/.test(name));
  return [...loaded, '../schema/workbench-config.schema.json'].map((name) => path.join(dist, name));
}

/** By its version; a build of the same version with another content is beside it. */
function copyOf({ script, version }: OwnFiles, computer: Computer): string {
  const plain = path.join(dataDirectoryOf(computer), version);
  const other = path.join(plain, 'main.js');
  if (!existsSync(other)) return plain;
  const text = readFileSync(script, 'utf8');
  return readFileSync(other, 'utf8') === text ? plain : `${plain}-${sha256(text).slice(0, 8)}`;
}

/** Removes copies that neither an entry of a client nor the journal names. Returns their paths. */
export function removeOldCopies(computer: Computer, current: string): string[] {
  const directory = dataDirectoryOf(computer);
  const copies = namesIn(directory).filter(
    (name) => /^\d+\.\d+\.\d+/.test(name) && existsSync(path.join(directory, name, 'main.js')),
  );
  const old = copies.map((name) => path.join(directory, name)).filter((copy) => !current.startsWith(copy + path.sep));
  if (old.length === 0) return [];
  const texts = [...textsOfClients(computer), ...textsOfJournal(computer)];
  const unused = old.filter((copy) => !texts.some((text) => names(text, path.join(copy, 'main.js'))));
  for (const copy of unused) rmSync(copy, { recursive: true, force: true });
  return unused;
}

function names(text: string, file: string): boolean {
  return text.includes(file) || text.includes(JSON.stringify(file).slice(1, -1));
}

function textsOfClients(computer: Computer): string[] {
  return clients
    .flatMap((client) => client.files(computer))
    .flatMap((file) => {
      const content = readTextFile(file, maxClientFileBytes);
      return content.kind === 'text' ? [content.text] : [];
    });
}

function textsOfJournal(computer: Computer): string[] {
  return readJournal(computer).flatMap(({ changes }) =>
    changes.flatMap(({ before, after }) => [before ?? '', after ?? '']),
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
