import { constants } from 'node:fs';
import { access, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import type { Resolution } from './resolution.js';
import { digestOfFile } from './resolutions.js';

/** What our shell was started with by npm. */
export interface Report {
  /** The name of a program in PATH. */
  readonly program: string;
  readonly variables: ReadonlyMap<string, string>;
}

/** Undefined if npm would run anything but one program. */
export function parseReport(text: string): Report | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(content) || typeof content['script'] !== 'string' || !isRecord(content['variables'])) return undefined;
  // npm 11 quotes it.
  const program = content['script'].trim().replace(/^(['"])(.*)\1$/, '$2');
  if (!/^[\w@.+~-]+$/.test(program)) return undefined;
  const variables = Object.entries(content['variables']).map(([name, value]) => [name, String(value)] as const);
  return { program, variables: new Map(variables) };
}

/** What npm was asked with, and where. */
export interface Asked {
  readonly spec: string;
  readonly env: ReadonlyMap<string, string>;
  /** The trusted directory, if it was one. */
  readonly directory: string | undefined;
  readonly isTrusted: (directory: string) => boolean;
}

/** What a report means; a phrase if it leads to no package. */
export async function readReport({ program, variables }: Report, asked: Asked): Promise<Resolution | string> {
  const directories = (variables.get('PATH') ?? '').split(path.delimiter);
  const link = await findProgram(program, directories);
  if (link === undefined) return `npm runs '${program}', which is not in PATH`;
  const file = (await behindShim(link)) ?? (await realpath(link));
  const found = await packageOf(path.dirname(file));
  if (found === undefined) return `npm runs '${program}', which is in no package`;
  const { directory, content } = found;
  const integrity = await integrityOf(path.dirname(path.dirname(link)), directory);
  return {
    ...{ spec: asked.spec, name: String(content['name']), version: String(content['version']) },
    ...(integrity !== undefined && { integrity }),
    ...{ directory, program: link, file, at: Date.now() },
    variables: Object.fromEntries(variablesOf(variables, asked)),
    paths: pathsOf(link, directories, asked),
    npmrcs: await watchedFiles(variables, asked),
  };
}

/** A program that is neither in npm's cache nor installed globally nor of a trusted project, if npm runs one. */
export async function foreignProgram(
  { program, variables }: Report,
  isTrusted: (directory: string) => boolean,
): Promise<string | undefined> {
  const link = await findProgram(program, (variables.get('PATH') ?? '').split(path.delimiter));
  if (link === undefined) return undefined;
  const directory = path.dirname(link);
  const cache = path.join(variables.get('npm_config_cache') ?? '', '_npx', path.sep);
  const prefix = variables.get('npm_config_global_prefix');
  const isGlobal = prefix !== undefined && [prefix, path.join(prefix, 'bin')].includes(directory);
  return link.startsWith(cache) || isGlobal || isTrusted(path.resolve(directory, '../..')) ? undefined : link;
}

async function findProgram(name: string, directories: readonly string[]): Promise<string | undefined> {
  for (const directory of directories.filter((one) => path.isAbsolute(one))) {
    const file = path.join(directory, name);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** On Windows npm makes scripts in place of links: one for cmd.exe, beside others. */
async function behindShim(link: string): Promise<string | undefined> {
  const text = await readFile(`${link}.cmd`, 'utf8').catch(() => '');
  const [, file] = /"%dp0%\\([^"]+)"\s+%\*/.exec(text) ?? [];
  return file === undefined ? undefined : path.resolve(path.dirname(link), file);
}

/** Files named `package.json` without a name only say how the files beside them are to be read. */
async function packageOf(
  directory: string,
): Promise<{ readonly directory: string; readonly content: JsonObject } | undefined> {
  const content = await readObject(path.join(directory, 'package.json'));
  if (typeof content?.['name'] === 'string' && typeof content['version'] === 'string') return { directory, content };
  const parent = path.dirname(directory);
  return parent === directory ? undefined : packageOf(parent);
}

/** From the list that npm keeps of what it has installed. */
async function integrityOf(modules: string, directory: string): Promise<string | undefined> {
  const list = await readObject(path.join(modules, '.package-lock.json'));
  const root = path.dirname(await realpath(modules).catch(() => modules));
  const packages = list?.['packages'];
  const entry = isRecord(packages) ? packages[path.relative(root, directory).replaceAll('\\', '/')] : undefined;
  return isRecord(entry) && typeof entry['integrity'] === 'string' ? entry['integrity'] : undefined;
}

async function readObject(file: string): Promise<JsonObject | undefined> {
  try {
    const content: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
    return isRecord(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/**
 * npm sets one for each of the user's settings, and any of them may be a secret: none is kept but these. npx describes the project in
 * the working directory as if it were the package; that is left out, too.
 */
const passedOn: ReadonlySet<string> = new Set([
  ...['node', 'color', 'editor', 'npm_command', 'npm_execpath', 'npm_node_execpath'],
  ...['npm_lifecycle_event', 'npm_lifecycle_script'],
  ...[
    ...['user_agent', 'npm_version', 'node_gyp', 'init_module', 'cache', 'yes', 'loglevel', 'audit', 'fund'],
    ...['userconfig', 'globalconfig', 'global_prefix', 'local_prefix', 'prefix', 'global_ignore_file'],
    ...['registry', 'metrics_registry', 'proxy', 'https_proxy', 'noproxy', 'cafile', 'strict_ssl'],
    ...['allow_scripts', 'ignore_scripts', 'offline', 'prefer_offline', 'prefer_online'],
  ].map((name) => `npm_config_${name}`),
]);
const hasUserinfo = /:\/\/.*@/;

/** The variables that npm has set itself. */
function variablesOf(variables: ReadonlyMap<string, string>, { env, directory }: Asked): [string, string][] {
  const isOurs = (name: string) => directory === undefined && name === 'npm_config_local_prefix';
  return [...variables].filter(
    ([name, value]) =>
      env.get(name) !== value && passedOn.has(name.toLowerCase()) && !hasUserinfo.test(value) && !isOurs(name),
  );
}

/** As npm has them in front of PATH, but none of a directory that is not trusted. */
function pathsOf(link: string, directories: readonly string[], { env, directory, isTrusted }: Asked): string[] {
  const first = path.dirname(link);
  if (directory === undefined) return [first];
  const inherited = new Set((env.get('PATH') ?? '').split(path.delimiter));
  const local = directories.filter(
    (one) =>
      !inherited.has(one) && one.endsWith(path.join('node_modules', '.bin')) && isTrusted(path.resolve(one, '../..')),
  );
  return [...new Set([first, ...local])];
}

/** npm's settings; and in a project what is installed there, which npm prefers. */
async function watchedFiles(
  variables: ReadonlyMap<string, string>,
  { directory }: Asked,
): Promise<Resolution['npmrcs']> {
  const files = [variables.get('npm_config_userconfig'), variables.get('npm_config_globalconfig')];
  const project = directory === undefined ? undefined : variables.get('npm_config_local_prefix');
  const inProject = ['.npmrc', 'package.json', path.join('node_modules', '.package-lock.json')];
  if (project !== undefined) files.push(...inProject.map((name) => path.join(project, name)));
  const known = files.filter((file) => file !== undefined);
  return Promise.all(known.map(async (file) => ({ file, digest: await digestOfFile(file) })));
}
