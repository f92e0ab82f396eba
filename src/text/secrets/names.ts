import { beginsLikePath, isPlainText, isPlainUrl } from './plain.js';

/** A value and the name of its variable, header or parameter. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

// Ordinary words that contain one of a secret's: author, keyboard, monkey, bypass, passive, askpass (a program), tokenizer, credit.
const secretWord =
  /(?<!mon|tur|don|hoc)key(?!board|word|note|frame|map)|secret|token(?!s|iz)|(?<!by|com|ask)pass(?!ive|enger|age|thr)|pwd|auth(?!or(?!i[sz]a))|cred(?!it)|private|cookie|session|jwt|bearer|signature|webhook|dsn/i;
const secretPart = /(?:^|[_-])(?:pat|pin|otp|sas|sig|code)(?:$|[_-])/i;

/** Whether the name of a variable, header, flag or parameter says that its value is a secret. */
export function looksSecret(name: string): boolean {
  return secretWord.test(name) || secretPart.test(name);
}

/** `--no-auth`, `--require-token`: what follows such a flag is another argument. */
export function isSwitch(flag: string): boolean {
  return /^--?(?:no|skip|disable|enable|allow|require|use|with|without)-/i.test(flag);
}

const ofAddresses = new Set(['url', 'uri', 'endpoint', 'host', 'hostname', 'issuer', 'domain', 'server', 'address']);
const ofChoices = new Set([
  ...['type', 'mode', 'method', 'scheme', 'enabled', 'required', 'disabled', 'level', 'provider', 'backend', 'region'],
  ...['zone', 'port', 'ttl', 'timeout', 'seconds', 'limit'],
]);

/** Whether the end of a name says what a value is beside a secret, and the value is that: `KEY_FILE=/a/b.pem`, `AUTH_URL=https://a.test`. */
export function isFact(name: string, value: string): boolean {
  if (/^(?:true|false)$/i.test(value)) return true;
  if (/(?:file|path|dir|directory|folder|home|root|sock|socket|store|config|credentials)$/i.test(name))
    return beginsLikePath(value);
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z]+/);
  const last = words.at(-1) ?? '';
  if (ofChoices.has(last)) return isPlainText(value);
  return ofAddresses.has(last) && !/webhook|dsn/i.test(name) && (isPlainUrl(value) || isPlainText(value));
}
