import type { Expression } from './expression.js';
import { isSelectFault, SelectFault } from './fault.js';
import { hintFor } from './hint.js';
import { maxExpressionChars } from './limits.js';
import { Parser } from './parser.js';
import { type Token, tokensOf } from './tokens.js';

/**
 * Parses a JMESPath expression, at most 4,000 characters and 200 levels. Throws a SelectFault whose message continues
 * `result.select: `, such as `the expression ends too early at character 4`.
 */
export function parseExpression(text: string): Expression {
  try {
    return parseWhole(text);
  } catch (error) {
    if (!isSelectFault(error)) throw error;
    const hint = hintFor(text, isValid);
    if (hint === undefined) throw error;
    throw new SelectFault(error.kind, `${error.message}. ${hint}`);
  }
}

function isValid(text: string): boolean {
  try {
    parseWhole(text);
    return true;
  } catch {
    return false;
  }
}

function parseWhole(text: string): Expression {
  if (text.length > maxExpressionChars) {
    throw new SelectFault('syntax', `the expression has more than ${maxExpressionChars} characters`);
  }
  const end: Token = { kind: 'end', value: undefined, at: text.length, text: '' };
  const parser = new Parser(tokensOf(text), end);
  const expression = parser.expression(0);
  parser.take('end');
  return expression;
}
