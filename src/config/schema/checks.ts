// The checks that zod does not have. The schema runs them, and so does the quick reader, which finds them by name.
// Nothing here is heavy: every start loads it.

import type { HintWord } from '../config.js';
import { isClaimName, splitReferences } from '../values/expand-env.js';
import { isClear, type RawEntry, repeatedHeaders } from './transport.js';

export const hintWords: readonly string[] = ['@write', '@destructive'] satisfies HintWord[];

/** A name or a glob: what begins with `@` is a word. */
const isName = (rule: string) => rule[0] !== '@';

export const textChecks = {
  /** Variables are expanded in it: every reference is well-formed. */
  expandable: (text: string) =>
    !text.includes('\0') &&
    (!text.includes('${') ||
      splitReferences(text).every(
        (part) => typeof part === 'string' || part.kind === 'variable' || part.kind === 'secret',
      )),
  variableName: (text: string) => text !== '' && !/[=\0]/.test(text),
  /** Literal: what `${claim:NAME}` names is compared with it. */
  claimName: isClaimName,
  headerName: (text: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text),
  serverName: (text: string) => text !== '',
  toolboxName: (text: string) => text !== '' && text !== '*',
  /** A name, a glob or a word. One that begins with a variable can be checked only after it is expanded. */
  rule: (text: string) => isName(text) || text.includes('${') || hintWords.includes(text),
  /** What a server says about its tools must not loosen a rule. */
  allowRule: isName,
  /** A url with variables can be checked only after they are expanded. */
  url: (text: string) => text.includes('${') || isHttpUrl(text),
};

export const objectChecks = {
  target: isClear,
  headers: (entry: RawEntry) => repeatedHeaders(entry).length === 0,
};

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
