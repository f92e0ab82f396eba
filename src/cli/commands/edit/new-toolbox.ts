import { nearest } from '../../../text/nearest.js';
import { correctedCommand, withOption, withoutOption } from './corrected-command.js';
import type { EditRequest } from './edit-request.js';

const example = 'What it is for';

/** Creates a missing toolbox, unless its name looks misspelled and no description is given. */
export function misspelledToolbox(
  command: string,
  toolbox: string,
  { args, value }: Pick<EditRequest, 'args' | 'value'>,
  others: readonly string[],
): string | undefined {
  if (value('description') !== undefined) return undefined;
  // Of short names nearly all are similar.
  const [similar] = nearest(
    toolbox,
    others.filter((name) => name[0] === toolbox[0]),
    1,
  );
  if (similar === undefined) return undefined;
  const at = command === 'add' ? args.indexOf(toolbox) : args.lastIndexOf(toolbox);
  return [
    `No toolbox '${toolbox}'. Did you mean '${similar}'?`,
    `  ${correctedCommand(command, args.with(at, similar))}`,
    'For a new one, say what it is for:',
    `  ${correctedCommand(command, withOption(args, '--description', example))}`,
  ].join('\n');
}

/** The description of a toolbox that is there is not changed. */
export function uselessDescription(command: string, toolbox: string, { args }: Pick<EditRequest, 'args'>): string {
  return [
    `Toolbox '${toolbox}' has a description already. Without --description:`,
    `  ${correctedCommand(command, withoutOption(args, '--description'))}`,
  ].join('\n');
}
