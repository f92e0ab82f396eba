import { isOrdinaryText, isWordy } from '../../text/harmless.js';
import { createReplaceAny, type ReplaceAny } from '../../text/replace-any.js';
import { formsOf } from './forms.js';
import type { Certainty } from './secret-values.js';

/** Replaces configured secrets, in all their usual forms, with `***`. A net, not a wall: a server can write a secret in any other form. */
export interface Mask {
  /** For errors, reasons and logs. */
  readonly text: ReplaceAny;
  /** For descriptions and instructions, which would be unreadable without the words that happen to be arguments or ordinary values. */
  readonly prose: ReplaceAny;
  /** For values in schemas, such as defaults: an agent uses them, so words stay. */
  readonly values: ReplaceAny;
  /** For names and the rest of schemas, which do not work if anything in them is replaced that is not a secret. */
  readonly names: ReplaceAny;
}

export function createMask(values: ReadonlyMap<string, Certainty>): Mask {
  const forms = new Map(Array.from(values.keys(), (value) => [value, formsOf(value)]));
  const replacing = (isMeant: (certainty: Certainty, value: string) => boolean) => {
    const meant = [...values].filter(([value, certainty]) => isMeant(certainty, value));
    return createReplaceAny(
      meant.flatMap(([value]) => [...(forms.get(value) ?? [])]),
      '***',
    );
  };
  return {
    text: replacing(() => true),
    prose: replacing(
      (certainty, value) => certainty !== 'possible' && !(certainty === 'placed' && isOrdinaryText(value)),
    ),
    values: replacing((certainty, value) => certainty !== 'possible' && !isWordy(value)),
    names: replacing((certainty, value) => (certainty === 'named' || certainty === 'placed') && !isWordy(value)),
  };
}
