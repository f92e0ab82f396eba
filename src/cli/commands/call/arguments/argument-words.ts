/** One `key=value`, `key:=JSON`, `key=@FILE` or `key:=@FILE` of a command line. */
export interface ArgumentWord {
  readonly key: string;
  readonly isJson: boolean;
  /** The text as typed, or where it is to be read. */
  readonly from: { readonly text: string } | { readonly file: string } | 'stdin';
}

/** Thrown for arguments that cannot be sent. The message says which and why. */
export class WrongArguments extends Error {
  override readonly name = 'WrongArguments';
}

export function parseWord(word: string): ArgumentWord {
  const [, key = '', colon, text = ''] = /^([^=]*?)(:?)=(.*)$/s.exec(word) ?? [];
  if (key === '') throw new WrongArguments(`Expected key=value or key:=JSON, got '${word}'.`);
  return { key, isJson: colon === ':', from: sourceOf(text) };
}

/** `@FILE`, `@-` for stdin, or the text itself. */
export function sourceOf(text: string): ArgumentWord['from'] {
  if (!text.startsWith('@')) return { text };
  return text === '@-' ? 'stdin' : { file: text.slice(1) };
}
