import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { maxPackageFileBytes, maxScannedPackages } from '../../../limits.js';
import { harmfulSetting } from './npmrc.js';

/** Programs that every package starts by name. npx puts `node_modules/.bin` before PATH. */
const basicPrograms = ['node', 'sh', 'bash', 'env', 'cmd'];
/** Files of a project by which other runners than npx change what they run. */
const projectFiles: Readonly<Record<string, readonly string[]>> = {
  yarn: ['.yarnrc.yml', '.yarnrc', '.yarn'],
  pnpm: ['.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpm-workspace.yaml'],
  pnpx: ['.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpm-workspace.yaml'],
  bun: ['bunfig.toml'],
  bunx: ['bunfig.toml'],
};
const endings = ['', '.cmd', '.exe', '.ps1', '.bat'];

/** What a package runner would use. `what` has no text of the directory; `file` is for the log. */
export interface Replacement {
  readonly what: string;
  readonly file: string;
}

/**
 * What in a directory a package runner would use in place of the published packages, or undefined. npx prefers, as seen with
 * npm 11: a bin of the project or a workspace, a program in `node_modules/.bin`, and any package in the tree that has the
 * name, whatever its folder is called; and the `.npmrc` of the project applies.
 */
export async function localReplacement(
  directory: string,
  { name, specs }: { readonly name: string; readonly specs: readonly string[] },
): Promise<Replacement | undefined> {
  const wanted = new Set(specs.flatMap(namesOf));
  const project = await readPackage(directory);
  return (
    (await programIn(path.join(directory, 'node_modules', '.bin'), [...wanted].map(withoutScope))) ??
    (await programIn(path.join(directory, 'node_modules', '.bin'), [...wanted, ...basicPrograms])) ??
    (await settingIn(path.join(directory, '.npmrc'), specs)) ??
    (await fileIn(directory, projectFiles[name] ?? [])) ??
    projectReplacement(project, wanted) ??
    (await workspaceReplacement(directory, project, wanted)) ??
    (await listedReplacement(path.join(directory, 'node_modules', '.package-lock.json'), wanted)) ??
    (await installedReplacement(path.join(directory, 'node_modules'), wanted))
  );
}

/** A spec as it is written, which can be the name of a program, and its name. */
function namesOf(spec: string): string[] {
  const at = spec.indexOf('@', 1);
  return [spec, at === -1 ? spec : spec.slice(0, at)];
}

/** Often the name of the program of a package. */
function withoutScope(name: string): string {
  return name.replace(/^@[^/]*\//, '');
}

async function programIn(folder: string, names: readonly string[]): Promise<Replacement | undefined> {
  for (const name of names) {
    for (const ending of endings) {
      const file = path.join(folder, `${name}${ending}`);
      if ((await lstat(file).catch(() => undefined)) === undefined) continue;
      return { what: `a program '${name}' in node_modules/.bin`, file };
    }
  }
  return undefined;
}

async function fileIn(directory: string, names: readonly string[]): Promise<Replacement | undefined> {
  for (const name of names) {
    const file = path.join(directory, name);
    if ((await lstat(file).catch(() => undefined)) !== undefined) return { what: `the settings in ${name}`, file };
  }
  return undefined;
}

async function settingIn(file: string, specs: readonly string[]): Promise<Replacement | undefined> {
  const text = await readText(file);
  if (text === unclear) return { what: 'an .npmrc that cannot be read', file };
  const setting = text === undefined ? undefined : harmfulSetting(text, specs);
  return setting === undefined ? undefined : { what: `an .npmrc that sets ${setting}`, file };
}

interface Package {
  readonly file: string;
  /** Undefined if it is not a JSON object. */
  readonly content: JsonObject | undefined;
  readonly isUnclear: boolean;
}

/** A project, or one of its workspaces, can provide programs itself. */
function projectReplacement(found: Package | undefined, wanted: ReadonlySet<string>): Replacement | undefined {
  if (found === undefined) return undefined;
  const { file, content } = found;
  if (content === undefined) return { what: 'a package.json that cannot be read', file };
  const { name, bin, directories } = content;
  const names = [name, ...(isRecord(bin) ? Object.keys(bin) : [])].map(String);
  const own = names.find((one) => wanted.has(one));
  if (own !== undefined) return { what: `a package.json that provides '${own}'`, file };
  const hasPrograms = isRecord(directories) && directories['bin'] !== undefined;
  return hasPrograms ? { what: 'a package.json that provides programs', file } : undefined;
}

async function workspaceReplacement(
  directory: string,
  project: Package | undefined,
  wanted: ReadonlySet<string>,
): Promise<Replacement | undefined> {
  const workspaces = project?.content?.['workspaces'];
  if (project === undefined || workspaces === undefined) return undefined;
  const patterns: unknown = isRecord(workspaces) ? workspaces['packages'] : workspaces;
  const unfollowed = { what: 'workspaces that cannot be followed', file: project.file };
  if (!Array.isArray(patterns)) return unfollowed;
  for (const pattern of patterns.map(String)) {
    // Only `packages/one` and `packages/*` are followed.
    if (!/^!?[\w@./-]*(?:\/?\*)?\/?$/.test(pattern)) return unfollowed;
    const folder = path.join(directory, pattern.replace(/^!/, '').replace(/\/?\*?\/?$/, ''));
    const names = /\*\/?$/.test(pattern) ? await entriesOf(folder) : ['.'];
    for (const name of names) {
      const found = projectReplacement(await readPackage(path.join(folder, name)), wanted);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Looks at every package below `node_modules`, as npx does: its folder may have any name. */
async function installedReplacement(modules: string, wanted: ReadonlySet<string>): Promise<Replacement | undefined> {
  const waiting = [modules];
  const seen = new Set<string>();
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    for (const one of await packagesIn(folder)) {
      const found = await readPackage(one);
      if (found?.isUnclear === true) return { what: 'a package.json in node_modules that cannot be read', file: one };
      const names = [path.relative(folder, one).replaceAll('\\', '/'), String(found?.content?.['name'])];
      const own = names.find((name) => wanted.has(name));
      if (own !== undefined) return { what: `a package '${own}' in node_modules`, file: one };
      waiting.push(path.join(one, 'node_modules'));
    }
    if (waiting.length > maxScannedPackages) return { what: 'too many packages in node_modules', file: modules };
  }
  return undefined;
}

/** npx believes the list of what is installed, if it is newer than the packages. */
async function listedReplacement(file: string, wanted: ReadonlySet<string>): Promise<Replacement | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  if (text === unclear) return { what: 'a list of packages in node_modules that cannot be read', file };
  const list = parse(text);
  const packages = isRecord(list) && isRecord(list['packages']) ? Object.entries(list['packages']) : [];
  for (const [key, entry] of packages) {
    const names = [key.split('node_modules/').at(-1), isRecord(entry) ? entry['name'] : undefined].map(String);
    const own = names.find((name) => wanted.has(name));
    if (own !== undefined) return { what: `a package '${own}' in node_modules`, file };
  }
  return undefined;
}

async function packagesIn(folder: string): Promise<string[]> {
  const names = (await entriesOf(folder)).filter((name) => !name.startsWith('.'));
  const nested = await Promise.all(
    names.map(async (name) =>
      name.startsWith('@')
        ? (await entriesOf(path.join(folder, name))).map((one) => path.join(folder, name, one))
        : [path.join(folder, name)],
    ),
  );
  return nested.flat();
}

async function readPackage(folder: string): Promise<Package | undefined> {
  const file = path.join(folder, 'package.json');
  const text = await readText(file);
  if (text === undefined) return undefined;
  const content = text === unclear ? undefined : parse(text);
  return { file, content: isRecord(content) ? content : undefined, isUnclear: text === unclear };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

const unclear = Symbol('cannot be read');

/** Only regular files of the size that they say: others may never end. Opening a pipe would block a thread. */
async function readText(file: string): Promise<string | typeof unclear | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(codeOf);
  if (typeof handle === 'string') return handle === 'ENOENT' || handle === 'ENOTDIR' ? undefined : unclear;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > maxPackageFileBytes) return unclear;
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length <= stats.size; length += count) {
      count = (await handle.read(bytes, length)).bytesRead;
    }
    return length > stats.size ? unclear : bytes.toString('utf8', 0, length);
  } catch {
    return unclear;
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
