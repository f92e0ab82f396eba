import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeUnused } from '../../../platform/unused-entries.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { requireNoForeignPackages } from './elsewhere/exposed-directory.js';

/** A directory that npm can be asked in. Only the user can read or change it; for npm it is an empty project. */
export interface NpmDirectory {
  readonly directory: string;
  /** What npm is to start programs with. */
  readonly shell: string;
  /** The file that our shell writes. */
  readonly report: string;
  /** Those of npm, with what our shell needs. */
  variables(env: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
}

/** In the cache directory, or if that cannot be written to, where temporary files are: it does not keep servers from starting. */
export async function makeNpmDirectory(cacheDirectory: string | undefined, platform: string): Promise<NpmDirectory> {
  if (cacheDirectory === undefined) return makeIn(tmpdir(), platform);
  const parent = path.join(cacheDirectory, 'runners');
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    await removeUnused(parent, abandonedAfterMs, (name) => name.startsWith(prefix));
    return await makeIn(parent, platform);
  } catch {
    return makeIn(tmpdir(), platform);
  }
}

const prefix = 'mcp-workbench-npm-';

async function makeIn(parent: string, platform: string): Promise<NpmDirectory> {
  requireNoForeignPackages(parent);
  const directory = await mkdtemp(path.join(parent, prefix));
  const report = path.join(directory, 'report.json');
  const reporter = path.join(directory, 'report.cjs');
  const isWindows = platform === 'win32';
  const shell = isWindows ? process.execPath : path.join(directory, 'shell');
  // Without a project here npm would use one above.
  const files = { [path.join(directory, 'package.json')]: '{"private":true}\n' };
  files[reporter] = isWindows ? asPreload(reporterScript(report)) : reporterScript(report);
  if (!isWindows) files[shell] = shellScript(reporter);
  try {
    for (const [file, text] of Object.entries(files)) await writeFile(file, text, { mode: 0o700 });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  const options = `--require ${JSON.stringify(reporter)}`;
  return {
    ...{ directory, shell, report },
    variables: (env) =>
      isWindows ? new Map([...env, ['NODE_OPTIONS', [env.get('NODE_OPTIONS') ?? '', options].join(' ').trim()]]) : env,
  };
}

// No question takes that long, so the process that asked it was killed.
const abandonedAfterMs = 24 * 3_600_000;

/** npm uses it for the scripts of packages that it installs as well; those are run. */
function shellScript(reporter: string): string {
  return [
    '#!/bin/sh',
    'if [ "$npm_lifecycle_event" != npx ]; then unset npm_config_script_shell; exec /bin/sh "$@"; fi',
    'unset NODE_OPTIONS',
    `exec ${shellQuote(process.execPath)} ${shellQuote(reporter)}`,
    '',
  ].join('\n');
}

function reporterScript(report: string): string {
  return `const variables = Object.entries(process.env).filter(([name]) => /^(?:npm_.*|NODE|COLOR|EDITOR|PATH)$/i.test(name));
const text = JSON.stringify({ script: process.env.npm_lifecycle_script, variables: Object.fromEntries(variables) });
require('node:fs').writeFileSync(${JSON.stringify(report)}, text, { mode: 0o600 });
`;
}

/**
 * Windows can start only programs, not scripts, in place of a shell: there it is Node.js, as `node -c SCRIPT`, and this is
 * loaded first. It is loaded by npm as well, which has no such argument.
 */
function asPreload(reporter: string): string {
  return `if (process.execArgv.includes('-c') && process.env.npm_lifecycle_event !== undefined) {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '', ComSpec = 'cmd.exe' } = process.env;
  if (event !== 'npx') {
    const { NODE_OPTIONS: _, npm_config_script_shell: __, ...env } = process.env;
    const options = { env, stdio: 'inherit', windowsVerbatimArguments: true };
    process.exit(require('node:child_process').spawnSync(ComSpec, ['/d', '/s', '/c', '"' + script + '"'], options).status ?? 1);
  }
  ${reporter}
  process.exit(0);
}
`;
}
