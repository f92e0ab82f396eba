/** Why an expression was refused. The first three are found before anything is called. */
export type FaultKind =
  | 'syntax'
  | 'unknown-function'
  | 'invalid-arity'
  | 'invalid-type'
  | 'invalid-value'
  | 'too-costly';

/**
 * An expression that cannot be parsed or evaluated. Recognise it with `isSelectFault`: each part of the program has its own copy
 * of the class.
 */
export class SelectFault extends Error {
  override readonly name = 'SelectFault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function isSelectFault(error: unknown): error is SelectFault {
  return error instanceof Error && error.name === 'SelectFault';
}
