import { WorkbenchError } from '../contract/errors.js';
import { assemble, type ParseOptions } from './assemble.js';
import type { Config } from './config.js';
import { type Findings, formatNotice, type LocatedNotice, locateNotices } from './notice.js';
import { type ConfigFile, configFileSchema } from './schema.js';
import { parseText } from './syntax.js';
import { validate } from './validate.js';

/** A validated file whose variables are not expanded. */
export interface ParsedFile {
  readonly file: ConfigFile;
  readonly warnings: string[];
}

/** Parses the text of a configuration file. Throws one error with all its faults. */
export function parseConfig(text: string, options: ParseOptions): Config {
  const { file, warnings } = parseFile(text, options.path);
  return assemble(file, warnings, options);
}

/** The same without a look at anything but the text: no variable, no other file. `path` is for messages. */
export function parseFile(text: string, path: string): ParsedFile {
  const { file, faults, warnings, isWhole } = checkFile(text);
  const lines = warnings.map((warning) => formatNotice(warning, path));
  if (file === undefined || faults.length > 0) {
    // With the warnings: a key is often missing because it is misspelt.
    const others = isWhole ? lines : [syntaxFirst];
    throw invalid(
      path,
      faults.map((fault) => formatNotice(fault, path)),
      others,
    );
  }
  return { file, warnings: lines };
}

export const syntaxFirst = 'Fix the syntax first; the rest of the file has not been checked.';

/** All faults and warnings of a file. */
export interface CheckedFile {
  /** Undefined if it has faults. */
  readonly file: ConfigFile | undefined;
  readonly faults: readonly LocatedNotice[];
  readonly warnings: readonly LocatedNotice[];
  /** Whether more than the syntax could be checked. */
  readonly isWhole: boolean;
}

export function checkFile(text: string): CheckedFile {
  const source = text.replace(/^\uFEFF/, '');
  const { tree, faults } = parseText(source);
  const findings: Findings = { faults, warnings: [] };
  const file = tree && validate(configFileSchema, tree, findings);
  return {
    file: faults.length > 0 ? undefined : file,
    faults: locateNotices(faults, source),
    warnings: locateNotices(findings.warnings, source),
    isWhole: tree !== undefined,
  };
}

const maxLines = 200;

function invalid(file: string, faults: readonly string[], others: readonly string[]): WorkbenchError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const lines = [`The configuration file ${file} is not valid (${count}):`, ...faults.slice(0, maxLines)];
  if (faults.length > maxLines) lines.push(`… and ${faults.length - maxLines} more.`);
  return new WorkbenchError('CONFIG_INVALID', [...lines, ...others.slice(0, maxLines)].join('\n'));
}
