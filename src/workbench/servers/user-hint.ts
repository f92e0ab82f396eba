import type { ServerConfig } from '../../config/config.js';
import { nextStep } from '../../contract/next-step.js';
import { ownCommand } from '../../text/own-command.js';

/** What the user can do about a server that could not be reached; undefined if the reason says it. */
export function userHint(
  { toolbox, name, target, disabled, file }: ServerConfig,
  kind: string | undefined,
  reason: string,
): string | undefined {
  const { says, command: [what = '', ...words] = [] } = nextStep({
    ...{ toolbox, server: name, kind, reason, isBroken: target.kind === 'broken' },
    state: disabled ? 'disabled' : kind === 'unauthorized' ? 'unauthorized' : 'failed',
    credentials: target.kind === 'remote' ? target.credentials : undefined,
  });
  // The reason names `auth`; `doctor` would say no more than this.
  const isNamed = what === 'enable' || what === 'add';
  const line = isNamed ? `in a terminal: ${ownCommand(what, words, file === undefined ? [] : ['--config', file])}` : '';
  const text = [says, line].filter(Boolean).join('; ');
  return text === '' ? undefined : `Only the user can change this: ${text}`;
}
