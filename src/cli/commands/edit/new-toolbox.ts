import { nearest } from '../../../text/nearest.js';
import { correctedCommand, withOption, withoutOption } from './corrected-command.js';
import type { EditRequest } from './edit-request.js';

const example = 'What it is for';

/** A toolbox that does not exist is made only with a description. */
export function noSuchToolbox(
  command: string,
  toolbox: string,
  { args }: Pick<EditRequest, 'args'>,
  others: readonly string[],
): string {
  // Of short names nearly all are similar.
  const [similar] = nearest(
    toolbox,
    others.filter((name) => name[0] === toolbox[0]),
    1,
  );
  const meant =
    similar === undefined
      ? []
      : [
          `Or did you mean '${similar}'?`,
          `  ${correctedCommand(command, args.with(command === 'add' ? args.indexOf(toolbox) : args.lastIndexOf(toolbox), similar))}`,
        ];
  return [
    `Toolbox '${toolbox}' does not exist. The agent chooses by its description; give one:`,
    `  ${correctedCommand(command, withOption(args, '--description', example))}`,
    ...meant,
  ].join('\n');
}

/** The description of a toolbox that is there is not changed. */
export function uselessDescription(command: string, toolbox: string, { args }: Pick<EditRequest, 'args'>): string {
  return [
    `Toolbox '${toolbox}' has a description already. Without --description:`,
    `  ${correctedCommand(command, withoutOption(args, '--description'))}`,
  ].join('\n');
}
