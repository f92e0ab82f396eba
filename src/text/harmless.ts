// Ordinary values of settings, long enough to be taken for a secret. Masked, they would make every text unreadable.
const words = new Set([
  ...['anonymous', 'default', 'development', 'disabled', 'enabled', 'everything', 'info', 'information', 'localhost'],
  ...['optional', 'production', 'read-only', 'read-write', 'read_only', 'read_write', 'readonly', 'readwrite'],
  ...['required', 'staging', 'standard', 'streamable-http', 'streamableHttp', 'testing', 'verbose', 'warning'],
]);
const fewDigits = 12;

/** Whether the name of a variable, header, flag or parameter says that its value is a secret. */
export function looksSecret(name: string): boolean {
  return (
    /key|secret|token(?!s)|pass|pwd|auth|cred|private|cookie|session|jwt|bearer|signature|webhook|dsn/i.test(name) ||
    /(?:^|[_-])(?:pat|pin|otp|sas|sig|code)(?:$|[_-])/i.test(name)
  );
}

/** Whether a value cannot be a secret: a boolean, a short number, a word of the list, a time zone, region, locale or plain address. */
export function isHarmless(value: string, name = ''): boolean {
  if (/^(?:true|false)$/i.test(value) || words.has(value)) return true;
  if (isShortNumber(value)) return !looksSecret(name);
  return (
    /^(?:localhost|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?$/.test(value) ||
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?\/?$/.test(value) ||
    /^[a-z]{2,12}(?:-[a-z]{1,12}){1,2}-?\d{1,2}(?:-[a-z])?$/.test(value) ||
    /^[a-z]{2}_[A-Z]{2}(?:\.[\w-]+)?$/.test(value) ||
    isTimeZone(value)
  );
}

/** Also versions and dates. */
function isShortNumber(value: string): boolean {
  return /^[\d.,+-]+$/.test(value) && value.replace(/\D/g, '').length < fewDigits;
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

/** Written like a path, or like the name of a package. */
export function isPath(value: string): boolean {
  if (isUrl(value) || /[\s=?&]/.test(value)) return false;
  return (
    /^(?:~|\.{1,2})?[/\\]/.test(value) ||
    /^[a-z]:[/\\]/i.test(value) ||
    /^@?[a-z][a-z0-9._-]*(?:\/[a-z0-9._@-]+)+$/.test(value)
  );
}

const isUrl = (value: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(value);

/** A URL without user, password, query or fragment. */
export const isPlainUrl = (value: string) => isUrl(value) && /^[^@?#\s]*$/.test(value);

/** Written like the name of a program, package, module, file or flag: of words, and not of random letters. */
export function isName(value: string): boolean {
  return isWordy(value) && /^-{0,2}@?[a-z][\w.@/:+-]*$/i.test(value) && value.split(/[^a-z]+/i).every(isWord);
}

function isWord(letters: string): boolean {
  return /^(?:[a-z]*|[A-Z]{1,10}|[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*)$/.test(letters);
}

/** Words in the spelling of ordinary texts, also several as in `customer_orders`. */
export function isOrdinaryText(value: string): boolean {
  return /^[A-Z]?[a-z]+(?:[ _-][A-Z]?[a-z]+)*$/.test(value);
}

/** Like the words and names of ordinary texts: nothing in it mixes letters and digits, and no number is long. */
export function isWordy(value: string): boolean {
  return !/(?<![a-z0-9])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{6}|\d{12}/i.test(value);
}
