import { WorkbenchError } from '../contract/errors.js';
import { assemble, type ParseOptions } from './assemble.js';
import type { Config } from './config.js';
import { writtenFileSchema } from './dialect-schema.js';
import { translate } from './dialects.js';
import type { EntryPlaces } from './entry-place.js';
import { type Findings, formatNotices } from './notice.js';
import type { ConfigFile } from './schema.js';
import { parseText } from './syntax.js';
import { validate } from './validate.js';

/** A validated file whose variables are not expanded. */
export interface ParsedFile {
  /** In our own form, whatever it is written in. */
  readonly file: ConfigFile;
  readonly places: EntryPlaces;
  readonly warnings: string[];
}

/** Parses the text of a configuration file. Throws one error with all its faults. */
export function parseConfig(text: string, options: ParseOptions): Config {
  const { file, warnings, places } = parseFile(text, options.path);
  return assemble(file, warnings, options, places);
}

/** The same without a look at anything but the text: no variable, no other file. `path` is for messages. */
export function parseFile(text: string, path: string): ParsedFile {
  const source = text.replace(/^\uFEFF/, '');
  const { tree, faults } = parseText(source);
  const findings: Findings = { faults, warnings: [] };
  const written = tree && validate(writtenFileSchema, tree, findings);
  const warnings = formatNotices(findings.warnings, path, source);
  if (written === undefined || faults.length > 0) {
    // With the warnings: a key is often missing because it is misspelt.
    const others = tree === undefined ? ['Fix the syntax first; the rest of the file has not been checked.'] : warnings;
    throw invalid(path, formatNotices(faults, path, source), others);
  }
  return { ...translate(written), warnings };
}

const maxLines = 200;

function invalid(file: string, faults: readonly string[], others: readonly string[]): WorkbenchError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const lines = [`The configuration file ${file} is not valid (${count}):`, ...faults.slice(0, maxLines)];
  if (faults.length > maxLines) lines.push(`… and ${faults.length - maxLines} more.`);
  return new WorkbenchError('CONFIG_INVALID', [...lines, ...others.slice(0, maxLines)].join('\n'));
}
