import type { MalformedReference } from '../values/expand-env.js';
import type { Fault } from './schema-checks.js';

export function faultOfReference({ name, isOpen, of }: MalformedReference): Fault {
  if (of !== undefined) return faultOfUser(of, isOpen);
  const valid = /^[A-Za-z_]/.test(name) ? name : 'NAME';
  const subject = name === '' ? 'A variable reference without a name' : `The reference to variable '${name}'`;
  return {
    what: `${subject} ${isOpen ? 'has no closing }' : 'is malformed'}.`,
    remedy: `Write \${${valid}} or \${${valid}:-default}, and $\${ for a literal \${. Names consist of letters, digits and _, and do not start with a digit.`,
  };
}

function faultOfUser(of: 'user' | 'claim', isOpen: boolean): Fault {
  const subject = of === 'user' ? 'The reference to the user' : 'The reference to a claim';
  return {
    what: `${subject} ${isOpen ? 'has no closing }' : 'is malformed'}.`,
    remedy:
      of === 'user' ? 'Write ${user:key} or ${user:directory}.' : 'Write ${claim:NAME}; it cannot have a default.',
  };
}
