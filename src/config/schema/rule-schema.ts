import * as z from 'zod/mini';
import { nearest } from '../../text/nearest.js';
import { hintWords, textChecks } from './checks.js';
import { ownCheck } from './schema-checks.js';
import { optional, text } from './schema-values.js';

const rule = text.check(
  ownCheck(textChecks.rule, (value) => {
    const [near] = nearest(value, hintWords, 1);
    const remedy = `${near === undefined ? '' : `Did you mean "${near}"? `}The words are ${hintWords.join(' and ')}.`;
    return [{ what: 'Unknown word: what begins with @ is a word for hints of the server.', remedy }];
  }),
);
const allowRule = text.check(
  ownCheck(textChecks.allowRule, () => [
    { what: 'Hints of the server cannot allow anything.', remedy: 'Name the tools, with globs if need be.' },
  ]),
);

/** Keys of a server entry, and of `defaults`. */
export const ruleKeys = {
  deny: optional(
    z.array(rule),
    'Tools that do not exist for the agent: names, globs, `@write` (not `readOnlyHint`) or `@destructive` (nor `destructiveHint: false`). Added to those of `defaults`. See [rules](security.md#rules).',
  ),
  ask: optional(
    z.array(rule),
    'Tools that are called only after a person has agreed to the call, in the same form. Added to those of `defaults`.',
  ),
  allow: optional(
    z.array(allowRule),
    'Exceptions to `ask`, as names or globs. Those of a server also hold for `ask` of `defaults`.',
  ),
};
