import { shellQuote } from '../../../../text/shell-quote.js';

/** The words that start a program in another directory, and the files of ours that they need. */
export interface Launcher {
  readonly words: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

export interface LaunchPlace {
  /** That of the server. */
  readonly directory: string;
  /** That of the runner: ours. */
  readonly ours: string;
  /** The program Node.js. */
  readonly node: string;
  readonly platform: string;
}

/** What a runner provides: a program, or the default one of a package, whose name may be unknown. */
export type Wanted = { readonly program: string } | WantedPackage;

interface WantedPackage {
  readonly packageName: string;
  /** Whether the first of its programs is the default one, if none has its name. */
  readonly takesFirst: boolean;
}

export const launcherName = 'mcp-workbench-launcher';
const launcherFile = `launcher/${launcherName}.cjs`;

// What is only for the runner is taken back; INIT_CWD is set by some runners. The program is found before the directory is
// changed: a relative entry in PATH would lead into it.
const shellLines = [
  'dir=$1 node=$2 launcher=$3 package=$4 program=$5; shift 5',
  'if [ -z "$program" ]; then program=$("$node" "$launcher" --find "$package") || exit; fi',
  'unset COREPACK_ENABLE_PROJECT_SPEC COREPACK_ENV_FILE',
  'if [ -n "${INIT_CWD+x}" ]; then INIT_CWD=$dir; fi',
  'found=$(command -v "$program") || found=$program',
  'cd "$dir" && exec "$found" "$@"',
];

/** For runners that can start any program on PATH. */
export function shellLauncher(wanted: Wanted, args: readonly string[], place: LaunchPlace): Launcher {
  const { directory, ours, node, platform } = place;
  const file = `${ours}/${launcherFile}`;
  const words = wordsOf(wanted);
  if (platform === 'win32') return { words: [node, file, directory, ...words, ...args], files: launcherFiles(wanted) };
  return {
    words: ['sh', '-c', shellLines.join('\n'), 'sh', directory, node, file, ...words, ...args],
    files: 'program' in wanted ? {} : launcherFiles(wanted),
  };
}

/** For runners that start only programs of packages: ours is one of them. */
export function packagedLauncher(wanted: Wanted, args: readonly string[], { directory }: LaunchPlace): Launcher {
  return { words: [launcherName, directory, ...wordsOf(wanted), ...args], files: launcherFiles(wanted) };
}

function wordsOf(wanted: Wanted): [string, string] {
  return 'program' in wanted ? ['', wanted.program] : [wanted.packageName, ''];
}

/** Finds the program as runners do: the only one of the package, or the one with its name. */
const launcherScript = (takesFirst: boolean) => `#!/usr/bin/env node
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const isWindows = process.platform === 'win32';
const variable = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
const folders = (process.env[variable] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
function read(file) {
  try { return JSON.parse(fs.readFileSync(file, 'utf8')); } catch { return undefined; }
}
function scopeless(name) { return name.replace(/^@[^/]*\\//, ''); }
function choose(name, programs) {
  if (programs.includes(scopeless(name))) return scopeless(name);
  if (programs.length === 1 || (${takesFirst} && programs.length > 1)) return programs[0];
  process.stderr.write(name + ' has ' + (programs.length === 0 ? 'no program' : 'several programs, and none of its name: ' + programs.join(', ')) + '\\n');
  process.exit(1);
}
function find(name) {
  for (const folder of folders) {
    if (path.basename(folder) !== '.bin') continue;
    const modules = path.dirname(folder);
    const names = name === '' ? Object.keys(read(path.join(modules, '..', 'package.json'))?.dependencies ?? {}) : [name];
    const found = names.length === 1 ? read(path.join(modules, names[0], 'package.json')) : undefined;
    if (found === undefined) continue;
    const { bin, directories } = found;
    if (typeof bin === 'string') return scopeless(found.name);
    if (bin === undefined && directories?.bin !== undefined)
      return choose(found.name, fs.readdirSync(path.join(modules, names[0], directories.bin)));
    return choose(found.name, Object.keys(bin ?? {}));
  }
  // Yarn has a folder with a script for each program.
  const others = ['node', 'node-gyp', 'npm', 'npx', 'run', 'yarn', 'yarnpkg', '${launcherName}'];
  const [first] = folders;
  const programs = fs.readdirSync(first).map((file) => file.replace(/\\.cmd$/, ''));
  return choose(name, [...new Set(programs)].filter((one) => !others.includes(one)));
}
function launch(directory, name, program, args) {
  const wanted = program === '' ? find(name) : program;
  const file = locate(wanted);
  for (const name of ['COREPACK_ENABLE_PROJECT_SPEC', 'COREPACK_ENV_FILE']) delete process.env[name];
  if (process.env.INIT_CWD !== undefined) process.env.INIT_CWD = directory;
  process.chdir(directory);
  process.env.PWD = directory;
  if (process.execve !== undefined && !isWindows) process.execve(file, [file, ...args], process.env);
  const isScript = /\\.(?:cmd|bat)$/i.test(file);
  const quoted = [file, ...args].map((word) => '"' + word.replaceAll('"', '""') + '"').join(' ').replace(/[()%!^<>&|;,]/g, '^$&');
  const child = isScript
    ? spawn(process.env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', '"' + quoted + '"'], { stdio: 'inherit', windowsVerbatimArguments: true })
    : spawn(file, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => { process.stderr.write(wanted + ' could not be started: ' + error.message + '\\n'); process.exit(127); });
  child.on('exit', (code, signal) => { process.exit(signal === null ? code : 1); });
}
function locate(program) {
  if (/[\\\\/]/.test(program)) return program;
  const endings = isWindows ? ['.exe', '.cmd', '.bat'] : [''];
  const files = folders.flatMap((folder) => endings.map((ending) => path.join(folder, program + ending)));
  return files.find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile()) ?? program;
}
const [first = '', ...rest] = process.argv.slice(2);
if (first === '--find') process.stdout.write(find(rest[0] ?? ''));
else launch(first, rest[0] ?? '', rest[1] ?? '', rest.slice(2));
`;

function launcherFiles(wanted: Wanted): Launcher['files'] {
  return {
    [launcherFile]: launcherScript('takesFirst' in wanted && wanted.takesFirst),
    'launcher/package.json': JSON.stringify({
      name: launcherName,
      version: '1.0.0',
      bin: { [launcherName]: `${launcherName}.cjs` },
    }),
  };
}

/** For runners that provide Python. pipx does not put the programs of its environment on PATH, and runs the only one. */
export const pythonLauncher = `import os, sys
directory, program, args = sys.argv[1], sys.argv[2], sys.argv[3:]
folder = os.path.dirname(sys.executable)
ending = '.exe' if os.name == 'nt' else ''
def only(names, wanted):
    if len(names) == 1: return names[0]
    sys.exit((wanted or 'the package') + ' has no program of its name; it has: ' + (', '.join(names) or 'none'))
def provided():
    import glob, json
    try: return json.load(open(os.path.join(os.path.dirname(folder), 'pipx_metadata.json')))['main_package']['apps']
    except OSError: pass
    for direct in glob.glob(os.path.join(os.path.dirname(folder), '[Ll]ib', '**', '*.dist-info', 'direct_url.json'), recursive=True):
        points = os.path.join(os.path.dirname(direct), 'entry_points.txt')
        section, names = '', []
        for line in open(points) if os.path.exists(points) else []:
            if line.startswith('['): section = line.strip()
            elif section == '[console_scripts]' and '=' in line: names.append(line.split('=')[0].strip())
        own = os.path.basename(os.path.dirname(direct)).split('-')[0].replace('_', '-')
        return [own] if own in names else names
    return []
found = os.path.join(folder, program + ending)
if not program or not os.path.isfile(found):
    apps = provided() if not program or os.path.exists(os.path.join(os.path.dirname(folder), 'pipx_metadata.json')) else None
    if apps is None: found = program
    else: found = os.path.join(folder, only([app for app in apps if not ending or app.endswith(ending)], program))
os.chdir(directory)
os.environ['PWD'] = directory
if os.name == 'nt':
    import subprocess
    sys.exit(subprocess.call([found] + args))
os.execvp(found, [found] + args)
`;

/** npm starts programs, and the scripts of packages that it installs, with a shell that can be chosen. */
export function npmShell(directory: string): string {
  return `#!/bin/sh
unset npm_config_script_shell
if [ "$npm_lifecycle_event" = npx ]; then
  unset COREPACK_ENABLE_PROJECT_SPEC COREPACK_ENV_FILE
  INIT_CWD=${shellQuote(directory)}
  cd ${shellQuote(directory)} || exit
fi
exec /bin/sh "$@"
`;
}

/** Run by Deno before the program. */
export function denoPreload(directory: string): string {
  return `try {
  Deno.chdir(${JSON.stringify(directory)});
} catch (error) {
  console.error('deno may not enter the working directory of this server: ' + error.message);
}
`;
}
