import { open } from 'node:fs/promises';
import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import type { Resolution } from './resolution.js';

/** A program that is started in place of the words of an entry. */
export interface RealProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** All of its variables. */
  readonly env: ReadonlyMap<string, string>;
}

/** The program of a package, started as npx does. */
export async function programFrom(
  { program, file, variables, paths }: Resolution,
  args: readonly string[],
  { cwd, env: own }: Pick<StdioTarget, 'cwd' | 'env'>,
  place: { readonly env: ReadonlyMap<string, string>; readonly cwd: string; readonly platform: string },
): Promise<RealProgram> {
  const directory = path.resolve(place.cwd, cwd ?? '.');
  const env = new Map([...place.env, ...Object.entries(variables), ['INIT_CWD', directory], ...withoutPath(own)]);
  // As the shell does that npx starts programs with; some servers read it.
  if (place.platform !== 'win32') env.set('PWD', directory);
  const name = [...env.keys()].find((one) => one.toUpperCase() === 'PATH') ?? 'PATH';
  // An empty part of it would be the working directory.
  env.set(name, [...paths, ...[env.get(name) ?? ''].filter((one) => one !== '')].join(path.delimiter));
  // A link that npm has made on Windows is a script of its own.
  const started = place.platform === 'win32' ? file : program;
  const [command = started, ...words] = interpreterOf(await firstBytes(file), started, place.platform);
  return { command, args: [...words, ...args], cwd, env };
}

/** PATH is among the others, without what must not be used. */
function withoutPath(env: ReadonlyMap<string, string>): [string, string][] {
  return [...env].filter(([name]) => name.toUpperCase() !== 'PATH');
}

/** The words that run a script, itself among them. */
export function interpreterOf(start: Buffer, script: string, platform: string): string[] {
  const [line = ''] = start.toString('latin1').split('\n', 1);
  if (!line.startsWith('#!')) {
    // A shell runs a text that the system does not know how to run.
    return platform !== 'win32' && start.length > 0 && !start.includes(0) ? ['/bin/sh', script] : [script];
  }
  const [interpreter = '', ...rest] = line
    .slice(2)
    .trim()
    .split(/[ \t]+/);
  const isEnv = interpreter.endsWith('/env');
  const words = isEnv ? (rest[0] === '-S' ? rest.slice(1) : rest) : [interpreter, ...rest];
  const [node = '', ...flags] = words;
  // The system passes on all that follows the interpreter as one word; only `env -S` splits it.
  const isSplit = flags.length === 0 || (isEnv ? rest[0] === '-S' : flags.length === 1);
  const isPlain = /^(?:\/.*\/)?node$/.test(node) && flags.every((flag) => /^-[\w=./:,-]+$/.test(flag));
  return isSplit && isPlain ? [node, ...flags, script] : [script];
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(256);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
