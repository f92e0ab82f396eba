import type { ServerConfig } from '../../config/config.js';
import {
  type Certainty,
  type FoundSecret,
  secretsInArguments,
  secretsInPath,
  secretsInValue,
} from '../../text/secrets/find-secrets.js';

const strength = { likely: 0, placed: 1, named: 2 } as const;

/** The values to mask in texts about a server. */
export function secretValues({
  secrets,
  target,
}: Pick<ServerConfig, 'secrets' | 'target'>): ReadonlyMap<string, Certainty> {
  const values = new Map<string, Certainty>();
  for (const { value, certainty } of [...secrets.flatMap(secretsInValue), ...secretsInTarget(target)]) {
    const known = values.get(value);
    if (known === undefined || strength[known] < strength[certainty]) values.set(value, certainty);
  }
  return values;
}

function secretsInTarget(target: ServerConfig['target']): FoundSecret[] {
  // Some services have a key in the path.
  if (target.kind === 'remote') return secretsInArguments([target.url]);
  if (target.kind !== 'stdio') return [];
  const { command, args, cwd } = target;
  return [...secretsInPath(command), ...secretsInArguments(args), ...secretsInPath(cwd ?? '')];
}
