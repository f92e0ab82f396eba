import { describe, expect, test } from 'vitest';
import { stem } from './stem.js';
import { synonymGroups } from './vocabulary.js';
import { partsOf, type Reading, termFor, wordsOf } from './words.js';

function terms(text: string, reading: Reading): string[] {
  return wordsOf(text).flatMap((word) => partsOf(word, reading).flatMap((part) => termFor(part.toLowerCase()) ?? []));
}

describe('a name', () => {
  test.each([
    ['read_text_file', ['read', 'text', 'file']],
    ['getHTTPResponse', ['get', 'http', 'respons']],
    ['list-all.repos/now', ['list', 'repo']],
    ['web3-research', ['web3', 'web', 'research']],
    ['get-12306-stations', ['get', '12306', 'station']],
    ['mcp_server_tool', []],
  ])('%s is split at case, digits and separators', (name, expected) => {
    expect(terms(name, 'name')).toEqual(expected);
  });
});

describe('prose', () => {
  test('keeps the names of products whole', () => {
    expect(terms('GitHub and YouTube', 'prose')).toEqual(['github', 'youtub']);
    expect(terms('GitHub', 'name')).toEqual(['git', 'hub']);
  });

  test('drops stop words, single letters and small numbers', () => {
    expect(terms("Please give me the 3 latest, it's a must", 'prose')).toEqual(['latest']);
  });

  test('is split into pairs of characters in scripts without spaces', () => {
    expect(terms('検索API12306です', 'prose')).toEqual(['検索', 'api12306', '12306', 'です']);
    expect(terms('曲', 'prose')).toEqual(['曲']);
  });

  test('of any length gives terms of limited length', () => {
    expect(terms('x'.repeat(10_000), 'prose')[0]?.length).toBeLessThanOrEqual(40);
  });
});

describe('a stem', () => {
  test.each([
    ['file', 'files'],
    ['repository', 'repositories'],
    ['create', 'creates', 'created', 'creating', 'creation', 'creator'],
    ['generate', 'generation', 'generator', 'generating'],
    ['convert', 'converter', 'converted', 'converting'],
    ['search', 'searches', 'searcher', 'searching'],
    ['plan', 'planned', 'planning', 'plans'],
    ['calculate', 'calculator', 'calculation'],
    ['translate', 'translation', 'translator'],
    ['locate', 'location', 'locations'],
  ])('is the same for %s and its other forms', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  test.each([
    ['news', 'new'],
    ['paper', 'pape'],
    ['status', 'state'],
    ['string', 'str'],
    ['class', 'cla'],
    ['user', 'use'],
    ['canvas', 'canva'],
    ['reaction', 'react'],
    ['performances', 'performs'],
    ['containers', 'contains'],
    ['authors', 'auth'],
  ])('is not the same for %s and %s', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });
});

test('no group of synonyms is empty, has a word twice, or consists of words that are ignored', () => {
  for (const group of synonymGroups) {
    const found = terms(group, 'prose');
    expect(new Set(found).size, group).toBeGreaterThan(1);
    expect(new Set(group.split(' ')).size, group).toBe(group.split(' ').length);
  }
});
