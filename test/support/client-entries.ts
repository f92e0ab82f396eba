import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');

/** A fenced block of a document. */
interface Block {
  readonly language: string;
  readonly code: string;
}

export function blocks(text: string): Block[] {
  return Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = '', code = '']) => ({ language, code }));
}

/** The blocks of docs/clients.md, each with the client whose section it is in. */
export const clientBlocks: readonly (Block & { readonly client: string })[] = page
  .split(/^## /m)
  .flatMap((section) => blocks(section).map((block) => ({ ...block, client: section.split('\n', 1)[0] ?? '' })));

/** The entry for a client: the first block of its section. */
export function clientEntry(name: string): string {
  const entry = clientBlocks.find(({ client }) => client === name);
  if (entry === undefined) throw new Error(`docs/clients.md has no entry for ${name}`);
  return entry.code;
}
