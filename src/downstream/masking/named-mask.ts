import type { NamedValue } from '../../config/config.js';
import { createReplaceAny, type ReplaceAny } from '../../text/replace-any.js';
import { isFact, looksSecret } from '../../text/secrets/names.js';
import { formsOf } from './forms.js';

/**
 * For a person who decides on a call: hides only values that have the name of a secret, and says whose value stands there. Anything
 * else that a server is configured with may be what matters in the call.
 */
export function createNamedMask(values: readonly NamedValue[]): ReplaceAny {
  const secrets = values.filter(({ name, value }) => looksSecret(name) && !isFact(name, value));
  const masks = secrets.map(({ name, value }) => createReplaceAny(formsOf(value), `*** (value of ${name})`));
  return (text, isCut) => masks.reduce((shown, mask) => mask(shown, isCut), text);
}
