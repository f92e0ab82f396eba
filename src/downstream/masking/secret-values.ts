import type { NamedValue, ServerConfig } from '../../config/config.js';
import { secretsInUrl } from '../../config/values/url-secrets.js';
import { isHarmless, isName, isPath, isPlainUrl, isWordy, looksSecret } from '../../text/harmless.js';

/**
 * - `named`: has the name of a secret
 * - `placed`: comes from a place for secrets
 * - `likely`: an argument or a part of a longer value, with digits and letters as keys have them
 * - `possible`: any other part, and any other argument but names of packages, files and flags
 */
export type Certainty = 'named' | 'placed' | 'likely' | 'possible';

const shortestNamed = 6;
const shortest = 8;
const strength = { possible: 0, likely: 1, placed: 2, named: 3 } as const;

/** The values to mask in texts about a server. `exists`: whether a value is a path that exists. */
export function secretValues(
  { secrets, target }: Pick<ServerConfig, 'secrets' | 'target'>,
  exists: (value: string) => boolean,
): ReadonlyMap<string, Certainty> {
  const found = new Map<string, Certainty>();

  function add(value: string, certainty: Certainty): void {
    if (value.length < (certainty === 'named' ? shortestNamed : shortest)) return;
    const known = found.get(value);
    if (known === undefined || strength[known] < strength[certainty]) found.set(value, certainty);
  }

  function addValue({ name, value }: NamedValue): void {
    if (isHarmless(value, name) || exists(value)) return;
    add(value, looksSecret(name) ? 'named' : 'placed');
    addParts(value);
  }

  /** `--key=VALUE`, `Bearer VALUE`, `scheme://user:VALUE@host/?key=VALUE`: the value alone may appear elsewhere. */
  function addParts(value: string, isKey: (part: string) => boolean = () => false): void {
    for (const named of namedParts(value)) addValue(named);
    for (const part of plainParts(value)) {
      if (part !== value && !isHarmless(part) && !isKey(part)) add(part, isWordy(part) ? 'possible' : 'likely');
    }
  }

  /** Written in the file and without an origin that says what they are, so here the form of a value has to decide. */
  function addArguments(args: readonly string[]): void {
    for (const [index, argument] of args.entries()) {
      const following = args[index + 1] ?? '';
      if (argument.startsWith('-') && looksSecret(argument) && !argument.includes('=') && !following.startsWith('-')) {
        addValue({ name: argument, value: following });
      }
      if (isHarmless(argument) || isPath(argument) || isName(argument)) continue;
      if (!isPlainUrl(argument)) add(argument, isWordy(argument) ? 'possible' : 'likely');
      addParts(argument, (part) => isName(part) && argument.startsWith(`${part}=`));
    }
  }

  for (const secret of secrets) addValue(secret);
  if (target.kind === 'stdio') addArguments(target.args);
  // Some services have a key in the path.
  if (target.kind === 'remote') addParts(target.url);
  return found;
}

/** The parts of a value that have the name of a secret: assignments, a token after its scheme, password and query of a URL. */
function namedParts(value: string): NamedValue[] {
  const inUrl = secretsInUrl(value);
  if (inUrl !== undefined) return [...inUrl];
  const [, token] = /^(?:basic|bearer|token|apikey|api-key)\s+(\S+)$/i.exec(value) ?? [];
  if (token !== undefined) return [{ name: 'token', value: token }];
  // `Server=a;Password=b`, `--api-key=a`, `Authorization: Bearer a`; whole first, because a value may contain the separators.
  return [value, ...value.split(/[;&,\n]/)].flatMap((assignment) => {
    const [, name = '', assigned = ''] = /^\s*([\w.-]+)\s*[=:]\s*([^]+)$/.exec(assignment) ?? [];
    if (looksSecret(name)) return [{ name, value: assigned.trim() }];
    return secretsInUrl(assigned) ?? [];
  });
}

function plainParts(value: string): string[] {
  if (isPath(value)) return [];
  // Scheme and host of a URL are no secrets, and neither are the words in its path.
  if (secretsInUrl(value) !== undefined) return new URL(value).pathname.split('/').filter((part) => !isWordy(part));
  return value.split(/[\s=:@/?&#,;'"]+/);
}
