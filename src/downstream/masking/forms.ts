import { printable } from '../../text/printable.js';

const shortestLine = 8;
// `base64` and `openssl` break lines at these lengths.
const base64LineLengths = [76, 64];

/** The usual ways in which programs write a value, each of them another text to look for. */
export function formsOf(value: string): Set<string> {
  const forms = new Set<string>();
  for (const text of [value, value.trim(), printable(value), ...linesOf(value)]) {
    forms.add(text);
    addJson(text, forms);
    addUrlEncoded(text, forms);
    addEncodedBytes(text, forms);
  }
  return forms;
}

/** A private key is often printed line by line, or kept on one line with `\n` between its lines. */
function linesOf(value: string): string[] {
  const lines = value.split(/\r\n?|\n|\\r\\n|\\n/);
  return lines.length === 1 ? [] : lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine);
}

/** As JSON, also with everything but ASCII escaped, and as JSON inside of JSON. */
function addJson(text: string, forms: Set<string>): void {
  const once = escaped(text);
  for (const form of [once, asciiOnly(once), once.replaceAll('/', '\\/')]) forms.add(form).add(escaped(form));
}

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

function asciiOnly(text: string): string {
  return text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function addUrlEncoded(text: string, forms: Set<string>): void {
  const whole = text.toWellFormed();
  const component = encodeURIComponent(whole);
  const strict = component.replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', whole]]).toString().slice(1);
  const styles = [component, strict, form, encodeURI(whole), component.replaceAll('%2F', '/')];
  for (const style of styles) forms.add(style).add(style.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  if (!text.includes('%')) return;
  try {
    forms.add(decodeURIComponent(text));
  } catch {
    // It is not URL-encoded itself.
  }
}

function addEncodedBytes(text: string, forms: Set<string>): void {
  const encodings = /^[\0-\x7F]*$/.test(text) ? (['utf8'] as const) : (['utf8', 'latin1', 'utf16le'] as const);
  for (const encoding of encodings) {
    const bytes = Buffer.from(text, encoding);
    forms.add(bytes.toString('hex')).add(bytes.toString('hex').toUpperCase());
    for (const base64 of [...wholeBase64(bytes), ...base64Inside(bytes)]) {
      forms.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
}

function wholeBase64(bytes: Buffer): string[] {
  const padded = bytes.toString('base64');
  const lines = base64LineLengths.flatMap((length) =>
    padded.length <= length ? [] : (padded.match(new RegExp(`.{1,${length}}`, 'g')) ?? []),
  );
  return [padded, padded.replace(/=+$/, ''), ...lines.filter((line) => line.length >= shortestLine)];
}

/** Inside of a longer text, as in `user:SECRET`, the value begins at one of three bits; the characters at its ends depend on what is around it. */
function base64Inside(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((8 * before) / 6);
    return all.toString('base64').slice(from, Math.floor((8 * all.length) / 6));
  });
}
