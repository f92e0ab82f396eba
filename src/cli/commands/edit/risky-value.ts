import { isSecret, secretsInValue } from '../../../text/secrets/find-secrets.js';
import { isName, isPath } from '../../../text/secrets/plain.js';

/** Whether a value to be written into the configuration may be a secret. A reference is none. */
export function isRisky(name: string, value: string): boolean {
  if (value === '' || value.includes('${')) return false;
  return isSecret(name, value) || (!isName(value) && !isPath(value) && secretsInValue({ name, value }).length > 0);
}
