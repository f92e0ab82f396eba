import { WorkbenchError } from '../contract/errors.js';
import { maxConfigBytes } from '../limits.js';
import { exampleFile } from './example-file.js';
import { type Candidate, configCandidates, type FindOptions } from './find.js';
import { readTextFile } from './text-file.js';

/** Finds and reads the configuration file. Undefined if no file was named and none was found. */
export function readConfigFile(options: FindOptions): { readonly path: string; readonly text: string } | undefined {
  for (const candidate of configCandidates(options)) {
    const content = readTextFile(candidate.path, maxConfigBytes);
    if (content.kind === 'text') return { path: candidate.path, text: content.text };
    if (content.kind === 'missing') {
      if (candidate.namedBy !== undefined)
        throw notFound(candidate, 'it does not exist. Create it, or correct the path');
      continue;
    }
    if (content.kind === 'unreadable') throw notFound(candidate, `${content.problem}. Use a file that can be read`);
    throw new WorkbenchError(
      'CONFIG_INVALID',
      `The configuration file ${candidate.path} is not valid: ${content.problem}.`,
    );
  }
  return undefined;
}

function notFound({ path, namedBy }: Candidate, problem: string): WorkbenchError {
  const origin = namedBy === undefined ? '' : ` (named by ${namedBy})`;
  return new WorkbenchError(
    'CONFIG_NOT_FOUND',
    `Cannot read the configuration file ${path}${origin}: ${problem}. ${exampleFile}`,
  );
}
