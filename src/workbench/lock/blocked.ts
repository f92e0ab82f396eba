import type { ServerConfig } from '../../config/config.js';
import type { Difference } from '../../config/lock-file/tool-lock.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { shorten } from '../../text/shorten.js';
import type { JudgedTools } from '../rules/judge-tools.js';
import { isReachable } from '../rules/verdict.js';

/** What is blocked of a server that is listed. */
export type Blocked = Pick<JudgedTools, 'withheld'> & { readonly withholdsInstructions: boolean };

const reasons: Readonly<Record<Difference, string>> = {
  changed: 'has changed since it was approved',
  new: 'is new since the tools of its server were approved',
  unverified: 'cannot be compared with what was approved, because the lock file cannot be used',
};

/** `review`: the command with which a person decides. */
export function toolChanged(
  { toolbox, server, name }: ToolIdentifier,
  difference: Difference,
  review: string,
): WorkbenchError {
  const text = `Tool '${shorten(name, 200)}' of server '${server}' (toolbox '${toolbox}') ${reasons[difference]}`;
  return new WorkbenchError('TOOL_CHANGED', text, {
    place: { toolbox, server, tool: name },
    hint: `The tool was not called. Only the user can look at it and approve it, in a terminal: ${review}`,
  });
}

/** Without names: those of new tools are not approved. */
export function blockedNotes(
  { name }: ServerConfig,
  { withheld, withholdsInstructions }: Blocked,
  review: string,
): string[] {
  const count = [...withheld.values()].filter(isReachable).length;
  if (count === 0 && !withholdsInstructions) return [];
  const what = [
    count > 0 && `${count === 1 ? '1 tool' : `${count} tools`} ${count === 1 ? 'is' : 'are'} blocked`,
    withholdsInstructions && 'its instructions are withheld',
  ];
  const blocked = what.filter((part) => typeof part === 'string').join(' and ');
  return [
    `Server '${shorten(name, 100)}': ${blocked}, because they are not what the user approved. Only the user can approve them, in a terminal: ${review}`,
  ];
}
