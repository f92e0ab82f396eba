import { createReplaceAny, type ReplaceAny } from '../../text/replace-any.js';
import type { Certainty } from '../../text/secrets/find-secrets.js';
import { hideKnownForms } from '../../text/secrets/known-forms.js';
import { isWordy } from '../../text/secrets/plain.js';
import { formsOf } from './forms.js';

const mark = '***';

/** Replaces configured secrets, in all their usual forms, with `***`. A net, not a wall: a server can write a secret in any other form. */
export interface Mask {
  /** For errors, reasons and logs. Also tokens of a known form that no entry has: a server may have found them elsewhere. */
  readonly text: ReplaceAny;
  /** For descriptions and instructions, which may have tokens as examples. */
  readonly prose: ReplaceAny;
  /** For values in schemas, such as defaults: an agent uses them, so words stay. */
  readonly values: ReplaceAny;
  /** For names and the rest of schemas, which do not work if anything in them is replaced that is not a secret. */
  readonly names: ReplaceAny;
}

export function createMask(values: ReadonlyMap<string, Certainty>): Mask {
  const forms = new Map(Array.from(values.keys(), (value) => [value, formsOf(value)]));
  const replacing = (isMeant: (certainty: Certainty, value: string) => boolean = () => true) => {
    const meant = [...values].filter(([value, certainty]) => isMeant(certainty, value));
    return createReplaceAny(
      meant.flatMap(([value]) => [...(forms.get(value) ?? [])]),
      mark,
    );
  };
  const prose = replacing();
  return {
    text: (text, isCut) => hideKnownForms(prose(text, isCut), mark, isCut),
    prose,
    values: replacing((_, value) => !isWordy(value)),
    names: replacing((certainty, value) => certainty !== 'likely' && !isWordy(value)),
  };
}
