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
  .filter((section) => /^_(Checked|Documented)/m.test(section))
  .flatMap((section) => blocks(section).map((block) => ({ ...block, client: section.split('\n', 1)[0] ?? '' })));

/** The entry for a client: the first block of its section. */
export function clientEntry(name: string): string {
  return blockOf(name, 0);
}

/** The setting that lets our tools run unasked, where that is no part of the entry: the second block. */
export function clientPermissions(name: string): string {
  return blockOf(name, 1);
}

function blockOf(name: string, index: number): string {
  const block = clientBlocks.filter(({ client }) => client === name)[index];
  if (block === undefined) throw new Error(`docs/clients.md has no block ${index + 1} for ${name}`);
  return block.code;
}
