import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';

export function countTokens(text) {
  return encode(text).length;
}

export function firstTokens(text, count) {
  return decode(encode(text).slice(0, count));
}
