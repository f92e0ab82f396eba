/** A parsed JMESPath expression. A node is evaluated on a current value, which the nodes before it have selected. */
export type Expression =
  | { readonly kind: 'current' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  /** Each step is evaluated on the result of the one before: `a.b`, `a[0]` and `a | b`. Flat, so that long paths are not deep. */
  | { readonly kind: 'chain'; readonly steps: readonly Expression[] }
  /** Evaluates `body` on every element that `over` takes from the current value, and leaves out null. */
  | { readonly kind: 'project'; readonly over: Elements; readonly body: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'any' | 'all'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'compare'; readonly operator: Comparator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `&expression`, an argument that the function evaluates itself. */
  | { readonly kind: 'reference'; readonly of: Expression };

/** `[*]`, `.*`, `[]`, `[?…]` and `[a:b:c]`. */
export type Elements =
  | { readonly kind: 'items' | 'values' | 'flat' }
  | { readonly kind: 'filter'; readonly test: Expression }
  | { readonly kind: 'slice'; readonly bounds: readonly (number | undefined)[] };

export type Comparator = '==' | '!=' | '<' | '<=' | '>' | '>=';
