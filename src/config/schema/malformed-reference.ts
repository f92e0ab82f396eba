import type { MalformedReference } from '../values/expand-env.js';
import type { Fault } from './schema-checks.js';

export function faultOfReference({ name, isOpen }: MalformedReference): Fault {
  const valid = /^[A-Za-z_]/.test(name) ? name : 'NAME';
  const subject = name === '' ? 'A variable reference without a name' : `The reference to variable '${name}'`;
  return {
    what: `${subject} ${isOpen ? 'has no closing }' : 'is malformed'}.`,
    remedy: `Write \${${valid}} or \${${valid}:-default}, and $\${ for a literal \${. Names consist of letters, digits and _, and do not start with a digit.`,
  };
}
