import path from 'node:path';
import { maxEnvFileBytes, maxReferencedBytes } from '../../limits.js';
import { expandHome } from '../files/find.js';
import { isOpenToOthers, isReadableByOthers, readTextFile, type TextFile } from '../files/text-file.js';
import { parseEnvFile } from './env-file.js';
import type { Problem } from './expand-env.js';

/** The files that entries name, each read once for all of them. */
export interface ReferencedFiles {
  /** The variables of an env file, or why there are none. */
  variables(file: NamedFile): ReadonlyMap<string, string> | Problem;
  /** The text of a file without its last newline, or why there is none. */
  text(file: NamedFile): string | Problem;
  /** The absolute path of a file as it is written: relative to the configuration file. */
  resolve(written: string): string;
}

export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** How it is called in messages. The value of a variable may be a secret, so a path that contains one is not shown. */
  readonly shown: string;
  /** Where it is named. */
  readonly place: string;
}

/** What was read before is not read again: all users of one text get the same. */
export type FilesRead = Map<string, TextFile>;

/** Says why a file that could be read is not used. */
export interface FileGuard {
  readonly problemOf: (file: string, content: TextFile) => string | undefined;
}

export function createReferencedFiles(
  directory: string,
  home: string,
  warn: (message: string) => void,
  guard?: FileGuard,
  read: FilesRead = new Map(),
): ReferencedFiles {
  const parsed = new Map<string, ReadonlyMap<string, string>>();

  function contentOf({ path: file, shown, place }: NamedFile, maxBytes: number): string | Problem {
    const key = `${maxBytes} ${file}`;
    const content = read.get(key) ?? readTextFile(file, maxBytes);
    read.set(key, content);
    if (content.kind === 'text') {
      const refusal = guard?.problemOf(file, content);
      if (refusal !== undefined) return { problem: `Cannot use ${shown}: ${refusal}` };
      const others = isOpenToOthers(content.access)
        ? 'change'
        : isReadableByOthers(content.access)
          ? 'read'
          : undefined;
      if (others !== undefined) warn(`${place}: other users can ${others} ${shown}. Make it yours alone: chmod 600`);
      return content.text;
    }
    const problem = content.kind === 'missing' ? 'it does not exist' : content.problem;
    return { problem: `Cannot use ${shown}: ${problem}. Create it, or correct the path.` };
  }

  return {
    resolve: (written) => path.resolve(directory, expandHome(written, home)),
    variables(file) {
      const text = contentOf(file, maxEnvFileBytes);
      if (typeof text !== 'string') return text;
      const known = parsed.get(file.path);
      if (known !== undefined) return known;
      const { variables, invalidLines } = parseEnvFile(text);
      parsed.set(file.path, variables);
      for (const line of invalidLines)
        warn(`${file.place}: line ${line} of ${file.shown} is not NAME=value; it is ignored.`);
      return variables;
    },
    text(file) {
      const text = contentOf(file, maxReferencedBytes);
      return typeof text === 'string' ? text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '') : text;
    },
  };
}
