import { isHarmless, isName, isOrdinaryText, isPath, isPlainUrl, looksSecret } from '../../../text/harmless.js';

const shortest = 8;

/** Whether a value that would stand in the configuration may be a secret. A reference is none. */
export function isRisky(name: string, value: string): boolean {
  if (value === '' || value.includes('${')) return false;
  if (looksSecret(name)) return !/^(?:true|false)$/i.test(value);
  const isPlain = [isHarmless, isPath, isPlainUrl, isOrdinaryText, isName].some((check) => check(value));
  return value.length >= shortest && !isPlain;
}
