import type { Problem, Sources } from './expand-env.js';
import type { ReferencedFiles } from './referenced-files.js';
import { secretsFileName } from './secrets-file.js';

/** `${file:…}` and `${secret:…}`. `willRead`: called with the path of a file before it is read. `place`: for warnings. */
export function fileSources(
  files: ReferencedFiles,
  willRead: (file: string) => void,
  place: string,
): Pick<Sources, 'file' | 'secret'> {
  function file(written: string): string | Problem {
    const path = files.resolve(written);
    willRead(path);
    return files.text({ path, shown: `the file ${path}`, place });
  }

  function secret(name: string): string | Problem {
    const path = files.resolve(secretsFileName);
    willRead(path);
    const found = files.variables({ path, shown: `the file of secrets ${path}`, place });
    if ('problem' in found) return found;
    return found.get(name) ?? { problem: `The file of secrets ${path} has no ${name}. Add a line: ${name}=…` };
  }

  return { file, secret };
}
