import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import { digest } from '../../../config/resolve/entry-identity.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { writeFileAtomically } from '../../../platform/atomic-file.js';
import { sha256 } from '../../../platform/crypto.js';
import { withoutClientDirectories } from '../../../platform/search-path.js';
import { removeUnused, unusedAfterMs } from '../../../platform/unused-entries.js';
import { type NpxEntry, writtenWords } from './npx-words.js';
import { parseResolution, type Resolution } from './resolution.js';
import type { RunnerPlace } from './trusted-directory.js';

/** The file of a resolution; undefined if none are kept. `directory`: the trusted one that npm is asked in, if there is one. */
export function resolutionFile(
  entry: NpxEntry,
  { env }: StdioTarget,
  { environment, cacheDirectory }: RunnerPlace,
  directory: string | undefined,
): string | undefined {
  if (cacheDirectory === undefined) return undefined;
  const variables = [...new Map([...environment, ...env])].filter(([name]) => changesNpm.test(name));
  const [others, paths] = [false, true].map((isPath) => variables.filter(([name]) => isSearchPath(name) === isPath));
  const key = digest([writtenWords(entry), new Map(others), directory ?? null]);
  const found = paths?.map(([, value]) => withoutClientDirectories(value)) ?? [];
  return path.join(cacheDirectory, 'runners', `${key}-${digest(found).slice(0, 16)}.json`);
}

const changesNpm = /^(?:npm_.*|node_auth_token|home|userprofile|path)$/i;
const isSearchPath = (name: string) => name.toLowerCase() === 'path';

export async function readResolution(file: string): Promise<Resolution | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseResolution(text);
}

/** Throws if it cannot be written. */
export async function saveResolution(file: string, resolution: Resolution): Promise<void> {
  await writeFileAtomically(file, `${JSON.stringify(resolution, undefined, 2)}\n`);
  await removeUnused(path.dirname(file), unusedAfterMs, isResolutionFile);
}

const isResolutionFile = (name: string) => name.endsWith('.json');

/** Whether the same was asked for another entry, so that what npm has installed for it may be in use. */
export async function isAskedElsewhere(file: string, spec: string): Promise<boolean> {
  const folder = path.dirname(file);
  for (const name of (await readdir(folder).catch(() => [])).filter(isResolutionFile)) {
    const other = path.join(folder, name);
    if (other !== file && (await readResolution(other))?.spec === spec) return true;
  }
  return false;
}

/**
 * Clients find programs elsewhere than a terminal does, and so have resolutions of their own. Clients that differ in nothing else get what
 * was looked up for this one; npm is asked again for those whose npm has other settings.
 */
export async function shareUpdate(file: string, found: Resolution): Promise<void> {
  const folder = path.dirname(file);
  const [key = ''] = path.basename(file).split('-');
  const same = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(`${key}-`));
  for (const other of same.map((name) => path.join(folder, name)).filter((one) => one !== file)) {
    const known = await readResolution(other);
    if (known === undefined || known.version === found.version) continue;
    if (JSON.stringify(known.npmrcs) === JSON.stringify(found.npmrcs))
      await saveResolution(other, { ...found, variables: known.variables });
    else await removeResolution(other);
  }
}

export async function removeResolution(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** Whether the package is still what npm installed, and npm's settings are what they were. */
export async function isIntact({ name, version, directory, program, file, npmrcs }: Resolution): Promise<boolean> {
  const [content, ...found] = await Promise.all([
    readFile(path.join(directory, 'package.json'), 'utf8').catch(() => ''),
    ...[program, file].map(isFile),
    ...npmrcs.map(async (one) => (await digestOfFile(one.file)) === one.digest),
  ]);
  return found.every(Boolean) && isPackage(content, name, version);
}

function isPackage(text: string, name: string, version: string): boolean {
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(content) && content['name'] === name && content['version'] === version;
  } catch {
    return false;
  }
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === true;
}

/** Of npm's settings the content counts; of anything else, which may be large, its time and size. */
export async function digestOfFile(file: string): Promise<string> {
  try {
    if (path.basename(file).endsWith('npmrc')) return sha256(await readFile(file, 'utf8'));
    const { mtimeMs, size } = await stat(file);
    return `${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
