// Expressions of Unicode take milliseconds to be made, and nearly all text needs none of them: they are made on first use.
const plain = /^[\t\n\r -~]*$/;

/**
 * Characters that a person does not see but a model reads, or that change how the text around them is shown: control
 * characters, bidirectional controls, zero-width characters, the TAG block, private use, line separators, lone surrogates.
 */
const anyHidden = onFirstUse(
  String.raw`[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]`,
  'gu',
);

// Scripts in which a joiner changes the shape of letters.
const joiningScripts = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Tibetan', 'Myanmar'],
];
const joiningScript = onFirstUse(`[${joiningScripts.map((script) => `\\p{Script=${script}}`).join('')}]$`, 'u');
const endsWithEmoji = onFirstUse(String.raw`[\p{Emoji}\p{Emoji_Modifier}]\uFE0F?$`, 'u');
const startsWithEmoji = onFirstUse(String.raw`^\p{Extended_Pictographic}`, 'u');
/** The flags of England, Scotland and Wales: the only emoji in use that are written with characters of the TAG block. */
const tagFlags =
  /^\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u;
const blackFlag = '\u{1F3F4}';
const firstTag = '\u{E0000}';

const zeroWidthNonJoiner = '\u200C';
const zeroWidthJoiner = '\u200D';
const emojiStyle = '\uFE0F';
const textStyle = '\uFE0E';

/** The text without hidden characters. Tabs and line breaks stay, and so do joiners where scripts and emoji need them. */
export function withoutHidden(text: string): string {
  return replaceHidden(text, () => '');
}

/** The text with hidden characters shown as escapes, for a person who decides whether to trust it. */
export function showHidden(text: string): string {
  return replaceHidden(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);
}

/** Whether a name contains a hidden character, a tab or a line break. */
export function hasHidden(name: string): boolean {
  return /[\t\n\r]/.test(name) || withoutHidden(name) !== name;
}

function replaceHidden(text: string, replacement: (character: string) => string): string {
  if (plain.test(text)) return text;
  return text.replace(anyHidden(), (character, offset: number) =>
    isNeeded(character, text, offset) ? character : replacement(character),
  );
}

function isNeeded(character: string, text: string, offset: number): boolean {
  switch (character) {
    case '\t':
    case '\n':
    case '\r':
      return true;
    case emojiStyle:
    case textStyle:
      return endsWithEmoji().test(before(text, offset)) && text[offset - 1] !== emojiStyle;
    case zeroWidthNonJoiner:
      return joiningScript().test(before(text, offset));
    case zeroWidthJoiner: {
      const joinsEmoji =
        endsWithEmoji().test(before(text, offset)) && startsWithEmoji().test(text.slice(offset + 1, offset + 3));
      return joinsEmoji || joiningScript().test(before(text, offset));
    }
    default:
      return character >= firstTag && isInFlag(text, offset);
  }
}

/** Enough of the text before this place to know the last character and a style after it. */
function before(text: string, offset: number): string {
  return text.slice(Math.max(0, offset - 3), offset);
}

/** Whether the character is one of the tags of a flag: a surrogate pair, and one for each of six tags. */
function isInFlag(text: string, offset: number): boolean {
  const around = text.slice(Math.max(0, offset - 12), offset + 12);
  const start = around.lastIndexOf(blackFlag, Math.min(offset, 12));
  return start !== -1 && tagFlags.test(around.slice(start));
}

function onFirstUse(source: string, flags: string): () => RegExp {
  let expression: RegExp | undefined;
  return () => {
    expression ??= new RegExp(source, flags);
    return expression;
  };
}
