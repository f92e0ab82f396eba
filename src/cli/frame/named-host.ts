import { hostNames } from '../../serve/host/socket-names.js';
import type { Call } from './command.js';

/** The host that `--host-name` names; undefined if it was not given. */
export function namedHost({ value }: Pick<Call, 'value'>): string | undefined {
  const name = value('host-name');
  return name === undefined ? undefined : hostNames(name).shared;
}
