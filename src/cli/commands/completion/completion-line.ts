/** A line of bash up to the cursor, split as the shell would. */
export interface TypedLine {
  /** What the words mean, without quotes; the last one is being typed and may be empty. */
  readonly words: readonly string[];
  /** The quote that is still open in the last one. */
  readonly quote: '' | "'" | '"';
  /** The last word as it was typed. */
  readonly raw: string;
}

interface Reading {
  quote: TypedLine['quote'];
  word: string;
  raw: string;
}

/** Splits a line into words: blanks, both kinds of quotes and backslashes, as far as the words of a command need them. */
export function readLine(line: string): TypedLine {
  const words: string[] = [];
  const now: Reading = { quote: '', word: '', raw: '' };
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at);
    if (now.quote === '' && /\s/.test(sign)) {
      if (now.raw !== '') words.push(now.word);
      now.word = '';
      now.raw = '';
      continue;
    }
    now.raw += sign;
    if (sign === '\\' && now.quote !== "'" && at + 1 < line.length) {
      const next = line.charAt(++at);
      now.raw += next;
      // Inside of double quotes a backslash is one unless it is before one of these.
      now.word += now.quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next;
    } else if (now.quote === '' && (sign === "'" || sign === '"')) now.quote = sign;
    else if (sign === now.quote) now.quote = '';
    else now.word += sign;
  }
  return { words: [...words, now.word], quote: now.quote, raw: now.raw };
}

/** A candidate as bash inserts it: what it replaces begins after the open quote, or after the last of its word breaks. */
export function insertable(candidate: string, { quote, raw, words }: TypedLine, breaks: string): string {
  if (quote === "'") return candidate.replaceAll("'", "'\\''");
  if (quote === '"') return candidate.replaceAll(/["\\$`]/g, '\\$&');
  const escaped = candidate.replaceAll(/[^\w%+,./:=@^~\-\u0080-\u{10FFFF}]/gu, '\\$&').replace(/^~/, '\\~');
  // Readline replaces only what follows a break that is not quoted.
  const cut = lastBreak(raw, breaks);
  return cut === 0 || !candidate.startsWith(words.at(-1) ?? '') ? escaped : escaped.slice(cut);
}

function lastBreak(raw: string, breaks: string): number {
  if (/['"\\]/.test(raw)) return 0;
  for (let at = raw.length; at > 0; at--) if (breaks.includes(raw.charAt(at - 1))) return at;
  return 0;
}
