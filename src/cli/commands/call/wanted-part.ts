import type { CallToolResult, ResultOptions } from '../../../contract/types.js';
import { partOf, type ResultPart } from '../../../results/fit/answer.js';
import { isSelectFault } from '../../../results/select/fault.js';
import { parseExpression } from '../../../results/select/parse.js';
import type { Call } from '../../frame/command.js';
import { type Failure, usageFailure } from '../../frame/screen/failure.js';

/** Which part of the result the options ask for; undefined if for all of it. A failure, if they cannot be followed. */
export function wantedPart({ value }: Call): { options?: ResultOptions } | Failure {
  const [select, find, max] = [value('select'), value('find'), value('max')];
  if (select !== undefined && find !== undefined) return refusal('--select and --find exclude each other.');
  if (find === '') return refusal('--find needs a text.');
  const fault = select === undefined ? undefined : faultIn(select);
  if (fault !== undefined) return refusal(`--select: ${fault}.`);
  const given = {
    ...(select !== undefined && { select }),
    ...(find !== undefined && { find }),
    ...(max !== undefined && { max: Number(max) }),
  };
  if (Object.keys(given).length === 0) return {};
  // Of what is not selected, the beginning.
  return { options: select === undefined && find === undefined ? { ...given, from: 0 } : given };
}

function refusal(message: string): Failure {
  return { ...usageFailure(`${message} Nothing was sent.`), code: 'INPUT_INVALID' };
}

function faultIn(expression: string): string | undefined {
  try {
    parseExpression(expression);
    return undefined;
  } catch (error) {
    if (!isSelectFault(error)) throw error;
    return error.message;
  }
}

/** That part, and what there is to say about it. */
export function partIn(whole: CallToolResult, options: ResultOptions | undefined): ResultPart {
  return options === undefined ? { result: whole, isMissing: false } : partOf(whole, options);
}
