/** The user pressed Ctrl-C. Recognised by its name: each part of the program has its own copy of the class. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
