import { WorkbenchError } from '../errors.js';
import type { Config } from './config.js';
import { exampleFile } from './example-file.js';
import { type Candidate, configCandidates, type FindOptions } from './find.js';
import { parseConfig } from './parse.js';
import { readTextFile } from './text-file.js';

export { parseConfig } from './parse.js';
export type LoadOptions = FindOptions;

const mostConfigBytes = 10_000_000;

/** Finds and reads the configuration file. Undefined: there is none anywhere, and none was named. */
export function loadConfigFile(options: LoadOptions): Config | undefined {
  for (const candidate of configCandidates(options)) {
    const content = readTextFile(candidate.path, mostConfigBytes);
    if (content.kind === 'text') {
      return parseConfig(content.text, { path: candidate.path, env: options.env, home: options.home });
    }
    if (content.kind === 'missing') {
      if (candidate.namedBy !== undefined)
        throw notFound(candidate, 'it does not exist. Create it, or correct the path');
      continue;
    }
    if (content.kind === 'unreadable') throw notFound(candidate, `${content.problem}. Name a file that can be read`);
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
