/** Thrown by `ask` of an agent of 2026-07-28 outside of its calls, or once the call has ended: a question can only be the result of a request. */
export class OnlyDuringCalls extends Error {
  override readonly name = 'OnlyDuringCalls';
}
