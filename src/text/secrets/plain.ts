// Ordinary values of settings that have digits or an unusual form.
const words = new Set(['localhost', 'streamable-http', 'utf8mb4', 'x86_64', 'amd64', 'arm64', 'base64', 'sha256']);
const fewDigits = 12;
const longestWord = 30;

/** Whether a value cannot be a secret: a boolean, a short number, a time zone, region, locale or plain address. */
export function isHarmless(value: string): boolean {
  return (
    /^(?:true|false)$/i.test(value) ||
    words.has(value) ||
    isShortNumber(value) ||
    /^(?:localhost|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?$/.test(value) ||
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?\/?$/.test(value) ||
    /^[a-z]{2,12}(?:-[a-z]{1,12}){1,2}-?\d{1,2}(?:-[a-z])?$/.test(value) ||
    /^[a-z]{2}_[A-Z]{2}(?:\.[\w-]+)?$/.test(value) ||
    isTimeZone(value)
  );
}

/** Also versions, dates and times. */
function isShortNumber(value: string): boolean {
  return /^v?[\d.,:+-]+$/.test(value) && value.replace(/\D/g, '').length < fewDigits;
}

function isTimeZone(value: string): boolean {
  if (!/^[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_+-]+){1,2}$/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    return true;
  } catch {
    return false;
  }
}

/** As absolute paths, those below the home directory and those with `./` begin, whatever follows: directories have spaces in their names. */
export function beginsLikePath(value: string): boolean {
  return /^(?:\.{0,2}[/\\]|~[\w.-]*(?:[/\\]|$)|[a-z]:[/\\])/i.test(value);
}

/** Written like a path, or like the name of a package. */
export function isPath(value: string): boolean {
  if (beginsLikePath(value)) return true;
  if (isUrl(value) || /[\s=?&]/.test(value)) return false;
  return (
    /^@?[a-z][a-z0-9._-]*(?:\/[a-z0-9._@-]+)+$/.test(value) || /^[\w.@-]+(?:[/\\][\w.@-]+)+\.[a-z]\w{0,4}$/i.test(value)
  );
}

export const isUrl = (value: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(value);

/** A URL without user, password, query or fragment. */
export const isPlainUrl = (value: string) => isUrl(value) && /^[^@?#\s]*$/.test(value);

/** Written like the name of a program, package, module, file or flag: of words, and not of random letters. */
export function isName(value: string): boolean {
  return isWordy(value) && /^-{0,2}@?[a-z][\w.@/:+-]*$/i.test(value) && value.split(/[^a-z]+/i).every(isWord);
}

/** Lower case, upper case, or as in `GraphQLServer` and `customerId`; letters of other alphabets in any spelling. */
function isWord(letters: string): boolean {
  if (letters.length > longestWord) return false;
  return (
    /^[A-Z]{1,20}$/.test(letters) ||
    /^[a-z]*(?:[A-Z][a-z]{2,}|[A-Z]{2,6}(?=$|[A-Z][a-z]))*(?:[A-Z][a-z]?)?$/.test(letters) ||
    /[^\0-\x7F]/.test(letters)
  );
}

/** Text as people write it: words without digits, paths, numbers, plain addresses, and settings of these as in `--size=4096`. */
export function isPlainText(value: string): boolean {
  return value.split(/\s+/).every((token) => {
    const bare = token.replace(/^[("'[{<]+|[)"'\]}>.,;:!?]+$/g, '').replace(/^-{0,2}[a-z][\w.-]*=/i, '');
    return bare === '' || isHarmless(bare) || beginsLikePath(bare) || isOfWords(bare);
  });
}

function isOfWords(token: string): boolean {
  return /^[^\d%\\{}$^"'`]*$/.test(token) && token.split(/[^\p{L}\p{M}]+/u).every(isWord);
}

/** Like the words and names of ordinary texts: nothing in it mixes letters and digits, and no number is long. */
export function isWordy(value: string): boolean {
  return !/(?<![a-z0-9])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{6}|\d{12}/i.test(value);
}

// python3, server01, Port8080 · 1000ms, 128mb · v2beta1
const numbered = /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,10})\d{1,4}$|^\d{1,4}[a-z]{1,4}$|^v\d+(?:alpha|beta|rc)\d*$/;

/** Whether something in it mixes letters and digits as secrets do, and not as in `python3`, or is a long number. */
export function looksRandom(value: string): boolean {
  return /\d{12}/.test(value) || value.split(/[^a-z0-9]+/i).some((run) => !isWordy(run) && !numbered.test(run));
}

/** One word of letters in random case. */
export function isRandomLetters(value: string): boolean {
  return /^[A-Za-z]+$/.test(value) && !isWord(value);
}
