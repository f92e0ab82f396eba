import { minimalEnvironment } from '../../../downstream/stdio/environment.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of a session that its servers can depend on: the minimal environment, and variables that the configuration may name. */
export function sentEnvironment(env: Environment, platform: string, text: string | undefined): Record<string, string> {
  const sent = Object.fromEntries(minimalEnvironment(env, platform));
  if (text === undefined) return sent;
  const plain = text.includes('\\u') ? text.replace(/\\u([\da-f]{4})/gi, (_, code: string) => fromHex(code)) : text;
  // Dialects write references in several ways, and some keys hold bare names: a name that occurs as a word may be meant.
  const words = new Set(plain.match(/\w+/g));
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (/^\w+$/.test(name) ? words.has(name) : plain.includes(name)) sent[name] = value;
  }
  return sent;
}

/** The environment of the host itself: sessions bring their own, so it has nothing of any of them that could matter. */
export function hostEnvironment(env: Environment, platform: string): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: _, ...others } = Object.fromEntries(minimalEnvironment(env, platform));
  return others;
}

function fromHex(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}
