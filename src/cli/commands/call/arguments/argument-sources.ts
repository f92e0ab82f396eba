import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { maxArgumentBytes } from '../../../../limits.js';
import { WrongArguments } from './argument-words.js';
import type { ArgumentSources } from './read-arguments.js';

/** Files, relative to the working directory, and stdin, as UTF-8. */
export function argumentSources(cwd: string, stdin: AsyncIterable<unknown>): ArgumentSources {
  return {
    async file(name) {
      try {
        const file = path.resolve(cwd, name);
        const found = await stat(file);
        if (found.isDirectory()) throw new Error('it is a directory');
        if (found.size > maxArgumentBytes) throw new Error(`it has more than ${maxArgumentBytes} bytes`);
        return await readFile(file, 'utf8');
      } catch (error) {
        throw new WrongArguments(`Cannot read ${name}: ${reasonOf(error)}.`);
      }
    },
    async stdin() {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stdin) {
        const data = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
        chunks.push(data);
        bytes += data.length;
        if (bytes > maxArgumentBytes) throw new WrongArguments(`stdin has more than ${maxArgumentBytes} bytes.`);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  return code === 'EACCES' ? 'it may not be read' : error.message;
}
