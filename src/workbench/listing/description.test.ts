import { describe, expect, test } from 'vitest';
import { inSlices } from '../../platform/slices.js';
import { plainDescription, sharedSentences, withoutSentences } from './description.js';

const tool = (description?: string) => ({
  name: 't',
  inputSchema: { type: 'object' as const },
  ...(description !== undefined && { description }),
});

async function sharedBy(...descriptions: string[]): Promise<string[]> {
  return [...(await sharedSentences(descriptions.map(tool), inSlices()))];
}

test('a description has no indentation and no empty lines', () => {
  expect(plainDescription(tool('\n    Reads.\n\n      - a\t b\n    - c\n  '), 1_000)).toBe('Reads.\n- a b\n- c');
  expect(plainDescription(tool('Reads a file.'), 5)).toBe('Reads');
  expect(plainDescription(tool(), 1_000)).toBe('');
});

describe('a sentence that most tools share', () => {
  test('is found wherever it stands', async () => {
    const shared = 'This is the public Twilio REST API.';
    expect(await sharedBy(`Lists calls. ${shared}`, `${shared} Sends a fax.`, 'Reads.', `Ends.\n${shared}`)).toEqual([
      shared,
    ]);
  });

  test('is not one of two tools, of half of the tools, said twice by one, or very short', async () => {
    expect(await sharedBy('Says the same.', 'Says the same.')).toEqual([]);
    expect(await sharedBy('Says the same.', 'Says the same.', 'Reads.', 'Writes.')).toEqual([]);
    expect(await sharedBy('Says the same. Says the same.', 'Reads.', 'Writes.')).toEqual([]);
    expect(await sharedBy('Read. One.', 'Read. Two.', 'Read. Three.')).toEqual([]);
  });

  test('is not a heading or an item of a list', async () => {
    const options =
      'Use EXACTLY ONE of these options:\n- projectSlug: The slug of a project.\n1) The branch of it.\n# All of it.';
    expect(await sharedBy(`Lists.\n${options}`, `Reads.\n${options}`, `Runs.\n${options}`)).toEqual([]);
  });

  test('is left out, unless nothing else is said', () => {
    const sentences = new Set(['This is the API.', 'More in the docs.']);
    expect(withoutSentences('This is the API. Lists calls.\nMore in the docs. All.', sentences)).toBe(
      'Lists calls.\nAll.',
    );
    expect(withoutSentences('This is the API.', sentences)).toBe('This is the API.');
    expect(withoutSentences('Reads.', new Set())).toBe('Reads.');
  });
});
