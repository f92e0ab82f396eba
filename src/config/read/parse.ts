import { WorkbenchError } from '../../contract/errors.js';
import { maxConfigTokens } from '../../limits.js';
import type { Config } from '../config.js';
import type { PlacedFault } from '../place.js';
import { assemble, type ParseOptions } from '../resolve/assemble.js';
import type { EntryPlaces } from '../resolve/entry-place.js';
import { writtenFileSchema } from '../schema/dialect-schema.js';
import type { ConfigFile } from '../schema/schema.js';
import { userFaults } from '../users/user-faults.js';
import { withoutClientSettings } from './client-settings.js';
import { type Translation, translate } from './dialects.js';
import { offsetAt } from './issue-wording.js';
import { type Findings, formatNotice, type LocatedNotice, locateNotices } from './notice.js';
import { hasMoreTokens, type ParsedText, parseText } from './syntax.js';
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
  const { parsed, faults, warnings, isWhole } = checkFile(text);
  const lines = warnings.map((warning) => formatNotice(warning, path));
  if (parsed === undefined) {
    // With the warnings: a key is often missing because it is misspelt.
    const others = isWhole ? lines : [syntaxFirst];
    throw invalid(
      path,
      faults.map((fault) => formatNotice(fault, path)),
      others,
    );
  }
  return { ...parsed, warnings: lines };
}

export const syntaxFirst = 'Fix the syntax first; the rest of the file has not been checked.';

/** All faults and warnings of a file. */
export interface CheckedFile {
  /** Undefined if it has faults. */
  readonly parsed: Translation | undefined;
  readonly faults: readonly LocatedNotice[];
  readonly warnings: readonly LocatedNotice[];
  /** Whether more than the syntax could be checked. */
  readonly isWhole: boolean;
}

/** Checking it would hold up everything else. */
const tooMuch: ParsedText = {
  tree: undefined,
  faults: [
    {
      offset: 0,
      path: [],
      what: `The file has more than ${maxConfigTokens / 1_000},000 names, values and signs.`,
      remedy: 'Check that this is the right file.',
    },
  ],
};

export function checkFile(text: string): CheckedFile {
  const source = text.replace(/^\uFEFF/, '');
  const isTooMuch = hasMoreTokens(source, maxConfigTokens);
  const { tree, faults } = isTooMuch ? tooMuch : parseText(source);
  const findings: Findings = { faults: [...faults], warnings: [] };
  const written = tree && validate(writtenFileSchema, withoutClientSettings(tree, findings), findings);
  const parsed = written === undefined || findings.faults.length > 0 ? undefined : translate(written);
  if (tree !== undefined && parsed !== undefined) {
    for (const fault of userFaults(parsed.file, parsed.places))
      findings.faults.push({ ...fault, offset: offsetAt(tree, fault.path) });
  }
  return {
    parsed: findings.faults.length > 0 ? undefined : parsed,
    faults: locateNotices(findings.faults, source),
    warnings: locateNotices(findings.warnings, source),
    isWhole: tree !== undefined || isTooMuch,
  };
}

/** Faults of a valid file, for what reads more of it than every session does. */
export function invalidAt(path: string, text: string, faults: readonly PlacedFault[]): WorkbenchError {
  const source = text.replace(/^\uFEFF/, '');
  const { tree } = parseText(source);
  const placed = faults.map((fault) => ({ ...fault, offset: tree === undefined ? 0 : offsetAt(tree, fault.path) }));
  const located = locateNotices(placed, source);
  return invalid(
    path,
    located.map((fault) => formatNotice(fault, path)),
    [],
  );
}

const maxLines = 200;

function invalid(file: string, faults: readonly string[], others: readonly string[]): WorkbenchError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const lines = [`The configuration file ${file} is not valid (${count}):`, ...faults.slice(0, maxLines)];
  if (faults.length > maxLines) lines.push(`… and ${faults.length - maxLines} more.`);
  return new WorkbenchError('CONFIG_INVALID', [...lines, ...others.slice(0, maxLines)].join('\n'));
}
