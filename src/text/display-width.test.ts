import { expect, test } from 'vitest';
import { cutToWidth, displayWidth, padToWidth } from './display-width.js';

test.each([
  ['', 0],
  ['plain', 5],
  ['ü/✓', 3],
  ['u\u0308', 1],
  ['日本語', 6],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['🧰', 2],
  ['👩‍💻', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['❤', 1],
  ['1️⃣', 2],
  ['a\u200Bb', 2],
  ['… – •••', 7],
])('%j takes %i columns', (text, expected) => {
  expect(displayWidth(text)).toBe(expected);
});

test('a cut never splits a character, and never exceeds the width', () => {
  expect(cutToWidth('日本語', 5)).toBe('日本…');
  expect(cutToWidth('日本語', 4)).toBe('日…');
  expect(cutToWidth('👩‍💻👩‍💻👩‍💻', 5)).toBe('👩‍💻👩‍💻…');
  expect(cutToWidth('plain', 5)).toBe('plain');
  expect(cutToWidth('two words', 6)).toBe('two w…');
  expect(cutToWidth('two words', 5)).toBe('two…');
  expect(cutToWidth('plain', 5, '...')).toBe('plain');
  expect(cutToWidth('plainer', 5, '...')).toBe('pl...');
  expect(cutToWidth('plain', 0)).toBe('');
});

test('texts are padded to the same width', () => {
  expect(padToWidth('日本', 6)).toBe('日本  ');
  expect(padToWidth('日本', 6, 'start')).toBe('  日本');
  expect(padToWidth('too long', 3)).toBe('too long');
});
