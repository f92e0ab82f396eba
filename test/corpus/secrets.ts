import { createHash } from 'node:crypto';

/** `form`: recognized wherever it stands; `random`: by its letters and digits; `name`: by its name alone. */
type RecognizedBy = 'form' | 'random' | 'name';

export interface CorpusSecret {
  readonly kind: string;
  readonly by: RecognizedBy;
  readonly value: string;
  /** What must not be seen. */
  readonly core: string;
}

/** Characters without a meaning, always the same: tokens that are written out are taken for real ones by scanners of repositories. */
function characters(seed: string, length: number, alphabet: string): string {
  const bytes = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${seed}/${index}`).digest(),
  );
  return Array.from(Buffer.concat(bytes).subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('');
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const any = lower + lower.toUpperCase() + digits;
const phrases = ['correct horse battery staple', 'open sesame please', 'swordfish', 'let me in, friend'];
const passwords = ['pa$$w0rd!', 'P@ssw0rd-99', 'x&y=z;w%20', '/K7MDENG/bPx'];

/** How each kind is made of a core. */
const kinds: Readonly<Record<string, readonly [RecognizedBy, number, string, (core: string) => string]>> = {
  'OpenAI key': ['form', 40, any, (core) => `sk-proj-${core}`],
  'Anthropic key': ['form', 60, any, (core) => `sk-ant-api03-${core}`],
  'GitHub token': ['form', 36, any, (core) => `ghp_${core}`],
  'GitHub fine-grained token': ['form', 59, any, (core) => `github_pat_${core}`],
  'GitLab token': ['form', 20, any, (core) => `glpat-${core}`],
  'Slack bot token': ['form', 24, any, (core) => `xoxb-17653672481-19874698323-${core}`],
  'Slack app token': ['form', 40, lower + digits, (core) => `xapp-1-A0B1-${core}`],
  'Stripe key': ['form', 24, any, (core) => `sk_live_${core}`],
  'AWS key id': ['form', 16, lower.toUpperCase() + digits, (core) => `AKIA${core}`],
  'JSON web token': ['form', 43, any, (core) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${core}`],
  'private key': ['form', 64, any, (core) => `-----BEGIN PRIVATE KEY-----\nMIIE${core}\n-----END PRIVATE KEY-----`],
  'Google key': ['form', 35, any, (core) => `AIza${core}`],
  'npm token': ['form', 36, any, (core) => `npm_${core}`],
  'Hugging Face token': ['form', 34, any, (core) => `hf_${core}`],
  'Linear key': ['form', 40, any, (core) => `lin_api_${core}`],
  'Notion token': ['form', 43, any, (core) => `ntn_${core}`],
  'SendGrid key': ['form', 43, any, (core) => `SG.${core.slice(0, 22)}.${core}`],
  'Telegram token': ['form', 35, any, (core) => `123456789:${core}`],
  'AWS secret key': ['random', 30, any, (core) => `wJ/${core}+K7Z`],
  'hexadecimal key': ['random', 32, `${digits}abcdef`, (core) => core],
  uuid: ['random', 12, `${digits}abcdef`, (core) => `f47ac10b-58cc-4372-a567-${core}`],
  'base64 key': ['random', 40, any, (core) => `${core}==`],
  'connection string': ['random', 16, any, (core) => `postgres://app:${core}@db.example.com:5432/x`],
  passphrase: ['name', 4, digits, (core) => phrases[Number(core) % 4] ?? ''],
  password: ['name', 4, digits, (core) => passwords[Number(core) % 4] ?? ''],
};

/** A hundred secrets of 25 kinds. */
export const corpusSecrets: readonly CorpusSecret[] = Object.entries(kinds).flatMap(
  ([kind, [by, length, alphabet, make]]) =>
    [0, 1, 2, 3].map((index) => {
      const core = by === 'name' ? String(index) : characters(`${kind} ${index}`, length, alphabet);
      const value = make(core);
      return { kind, by, value, core: by === 'name' ? value : core };
    }),
);
