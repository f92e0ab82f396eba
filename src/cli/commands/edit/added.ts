import type { EditRequest } from './edit-request.js';
import { nextCommand } from './write-edits.js';

/** How an addition is reported. */
export function addedTo(isNewFile: boolean, isNewToolbox: boolean): string {
  return isNewFile ? 'added, to a new file' : isNewToolbox ? 'added, in a new toolbox' : 'added';
}

/** `isOpen`: a URL without a token, which may need a login; `isUndescribed`: its toolbox has no description. */
export function nextAfterAdd(
  call: EditRequest,
  names: readonly string[],
  { isOpen, isUndescribed }: { readonly isOpen: boolean; readonly isUndescribed: boolean },
): string[] {
  return [
    nextCommand(call, isOpen ? 'auth' : 'doctor', ...names),
    ...(isUndescribed ? [`${nextCommand(call, 'group')}   says what the new toolbox is for`] : []),
  ];
}
