import { WorkbenchError } from '../contract/errors.js';
import type { CallToolResult } from '../contract/types.js';
import { evaluate } from './select/evaluate.js';
import { isSelectFault } from './select/fault.js';
import { parseExpression } from './select/parse.js';
import { contentOf } from './value.js';

/**
 * Applies a JMESPath expression to the value of a result: the JSON in its text or structured content, or its text as a string.
 * Throws a `WorkbenchError` with the code `INPUT_INVALID` if the expression is faulty or cannot be evaluated. Objects that the
 * expression makes have no prototype.
 */
export function selectFrom(result: CallToolResult, expression: string): unknown {
  try {
    return evaluate(parseExpression(expression), contentOf(result).value);
  } catch (error) {
    if (isSelectFault(error)) throw new WorkbenchError('INPUT_INVALID', `select: ${error.message}`, { cause: error });
    throw error;
  }
}
