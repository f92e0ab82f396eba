import type { Comparator, Elements, Expression } from './expression.js';
import { SelectFault } from './fault.js';
import { checkCall } from './functions.js';
import { maxExpressionLevels } from './limits.js';
import type { Token, TokenKind } from './tokens.js';

// The grammar, by operators that bind more and more tightly:
//
//   a | b      a || b      a && b      a == b (!= < <= > >=)
//   a[]                                flattens a list by one level and begins a projection
//   a[*]  a.*  a[1:5:2]  a[?test]      begin a projection: what follows is evaluated on every element
//   a.b  a.{k: b}  a.[b, c]  a.f(x)    is evaluated on the value of a
//   !a   a[0]   f(a, &b)
//   name  "quoted name"  'text'  `JSON`  @  (a)  [a, b]  {k: a}
//
// A projection ends at an operator that binds less tightly than `projectionEnd`.

const projectionEnd = 10;
const power = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '[': 55,
  '(': 60,
} as const satisfies Partial<Record<TokenKind, number>>;
const powers: Partial<Record<TokenKind, number>> = power;

const current: Expression = { kind: 'current' };

/** A parser by binding powers (Pratt). */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  #levels = 0;

  constructor(tokens: readonly Token[], end: Token) {
    this.#tokens = tokens;
    this.#end = end;
  }

  /** An expression up to an operator that does not bind more tightly than `least`. */
  expression(least: number): Expression {
    this.#enter();
    let left = this.#first();
    while (least < (powers[this.#peek().kind] ?? 0)) left = this.#next(left);
    this.#levels--;
    return left;
  }

  take(kind: TokenKind): Token {
    const token = this.#peek();
    if (token.kind !== kind) throw unexpected(token);
    this.#at++;
    return token;
  }

  #enter(): void {
    if (++this.#levels > maxExpressionLevels) {
      throw new SelectFault('syntax', `the expression is nested more than ${maxExpressionLevels} levels deep`);
    }
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? this.#end;
  }

  #skip(kind: TokenKind): boolean {
    if (this.#peek().kind !== kind) return false;
    this.#at++;
    return true;
  }

  /** An expression that nothing stands before. */
  #first(): Expression {
    const token = this.#peek();
    this.#at++;
    switch (token.kind) {
      case 'literal':
        return { kind: 'literal', value: token.value };
      case 'name':
        return this.#peek().kind === '(' ? this.#call(token) : { kind: 'field', name: token.text };
      case 'quoted':
        return { kind: 'field', name: String(token.value) };
      case '@':
        return current;
      case '!':
        return { kind: 'not', of: this.expression(power['!']) };
      case '(': {
        const inner = this.expression(0);
        this.take(')');
        return inner;
      }
      case '{':
        return this.#object();
      case '*':
        return this.#projection({ kind: 'values' }, power['*']);
      case '[':
        return this.#beginsList() ? this.#list() : this.#bracket();
      case '[]':
      case '[?':
        return this.#elements(token.kind);
      default:
        throw unexpected(token);
    }
  }

  /** The operator that follows `left`, and what stands after it. */
  #next(left: Expression): Expression {
    const token = this.#peek();
    this.#at++;
    switch (token.kind) {
      case '.':
        return chain(
          left,
          this.#skip('*') ? this.#projection({ kind: 'values' }, power['.']) : this.#afterDot(power['.']),
        );
      case '[':
        return chain(left, this.#bracket());
      case '[]':
      case '[?':
        return chain(left, this.#elements(token.kind));
      case '|':
        return chain(left, this.expression(power['|']));
      case '||':
        return joined('any', left, this.expression(power['||']));
      case '&&':
        return joined('all', left, this.expression(power['&&']));
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#comparison(token.kind, left);
      default:
        throw unexpected(token);
    }
  }

  #comparison(operator: Comparator, left: Expression): Expression {
    // `a < b < c` nests to the left, where no recursion counts it.
    if (left.kind === 'compare') this.#enter();
    return { kind: 'compare', operator, left, right: this.expression(power['==']) };
  }

  #elements(kind: '[]' | '[?'): Expression {
    if (kind === '[]') return this.#projection({ kind: 'flat' }, power['[]']);
    const test = this.expression(0);
    this.take(']');
    return this.#projection({ kind: 'filter', test }, power['[?']);
  }

  #projection(over: Elements, least: number): Expression {
    return { kind: 'project', over, body: this.#projected(least) };
  }

  #projected(least: number): Expression {
    const { kind } = this.#peek();
    if ((powers[kind] ?? 0) < projectionEnd) return current;
    if (kind === '[' || kind === '[?') return this.expression(least);
    this.take('.');
    return this.#afterDot(least);
  }

  #afterDot(least: number): Expression {
    const { kind } = this.#peek();
    if (kind === 'name' || kind === 'quoted' || kind === '*') return this.expression(least);
    if (this.#skip('[')) return this.#list();
    this.take('{');
    return this.#object();
  }

  /** After `[`, where no operand stands before it: whether a list of expressions follows. */
  #beginsList(): boolean {
    const { kind } = this.#peek();
    return kind !== 'number' && kind !== ':' && !(kind === '*' && this.#peek(1).kind === ']');
  }

  /** After `[`: an index, a slice or `*]`. */
  #bracket(): Expression {
    if (this.#skip('*')) {
      this.take(']');
      return this.#projection({ kind: 'items' }, power['*']);
    }
    if (this.#peek().kind === 'number' && this.#peek(1).kind === ']') {
      const index = Number(this.take('number').value);
      this.take(']');
      return { kind: 'index', index };
    }
    return this.#projection({ kind: 'slice', bounds: this.#bounds() }, power['*']);
  }

  #bounds(): readonly (number | undefined)[] {
    const bounds: (number | undefined)[] = [];
    const begin = this.#peek();
    do {
      bounds.push(this.#peek().kind === 'number' ? Number(this.take('number').value) : undefined);
    } while (bounds.length < 3 && this.#skip(':'));
    this.take(']');
    if (bounds.length === 1) throw unexpected(begin);
    if (bounds[2] === 0) throw new SelectFault('invalid-value', `a slice has the step 0 at character ${begin.at + 1}`);
    return bounds;
  }

  #list(): Expression {
    const items = [this.expression(0)];
    while (this.#skip(',')) items.push(this.expression(0));
    this.take(']');
    return { kind: 'list', items };
  }

  #object(): Expression {
    const entries: [string, Expression][] = [];
    do {
      const key = this.take(this.#peek().kind === 'quoted' ? 'quoted' : 'name');
      this.take(':');
      entries.push([String(key.value), this.expression(0)]);
    } while (this.#skip(','));
    this.take('}');
    return { kind: 'object', entries };
  }

  #call({ text: name, at }: Token): Expression {
    const args: Expression[] = [];
    this.take('(');
    if (this.#peek().kind !== ')') {
      do args.push(this.#argument());
      while (this.#skip(','));
    }
    this.take(')');
    checkCall(name, args.length, at + 1);
    return { kind: 'call', name, args };
  }

  #argument(): Expression {
    return this.#skip('&') ? { kind: 'reference', of: this.expression(0) } : this.expression(0);
  }
}

function chain(left: Expression, step: Expression): Expression {
  if (left.kind === 'current') return step;
  return { kind: 'chain', steps: [...(left.kind === 'chain' ? left.steps : [left]), step] };
}

function joined(kind: 'any' | 'all', left: Expression, right: Expression): Expression {
  return { kind, of: [...(left.kind === kind ? left.of : [left]), right] };
}

function unexpected({ kind, at, text }: Token): SelectFault {
  const what = kind === 'end' ? 'the expression ends too early' : `unexpected ${text}`;
  return new SelectFault('syntax', `${what} at character ${at + 1}`);
}
