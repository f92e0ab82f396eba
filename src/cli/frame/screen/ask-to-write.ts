import { choose } from './choice.js';
import type { Output } from './output.js';

/** What the user wants. */
export type WriteAnswer = 'write' | 'write with secrets' | 'show' | 'no';

/** The question after a preview. `hasSecrets`: whether there are any to move. */
export async function askToWrite(hasSecrets: boolean, { signs }: Output): Promise<WriteAnswer> {
  const answers: readonly (readonly [WriteAnswer, string])[] = [
    ['write', 'Yes'],
    ...(hasSecrets ? ([['write with secrets', 'Yes, but leave secrets where they are']] as const) : []),
    ['show', 'Show the file'],
    ['no', 'No'],
  ];
  const index = await choose(
    'Write this?',
    answers.map(([, text]) => text),
    signs,
  );
  return answers[index]?.[0] ?? 'no';
}
