import { isRecord } from '../../jsonrpc/json.js';
import { define } from './define.js';
import { any, array, either, object, string, strings, typeOf } from './types.js';

const jsonNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Reading a longer one takes time, and no number is meant. */
const longestNumber = 400;
/** Finding a text can take as many comparisons as the product of both lengths. */
const searchedPerStep = 1_024;

export const textFunctions = {
  contains: define([either(array, string), any], (run, subject, wanted) => {
    if (typeof subject !== 'string') return subject.some((item) => run.areEqual(item, wanted));
    if (typeof wanted !== 'string') return false;
    run.spend(Math.floor((subject.length * wanted.length) / searchedPerStep));
    return subject.includes(wanted);
  }),
  ends_with: define([string, string], (run, text, end) => {
    run.read(end.length);
    return text.endsWith(end);
  }),
  starts_with: define([string, string], (run, text, start) => {
    run.read(start.length);
    return text.startsWith(start);
  }),
  join: define([string, strings], (run, glue, parts) => {
    run.spend(parts.length);
    run.make(parts.reduce((sum, part) => sum + part.length + glue.length, 0));
    return parts.join(glue);
  }),
  lower: define([string], (run, text) => {
    run.make(text.length);
    return text.toLowerCase();
  }),
  upper: define([string], (run, text) => {
    run.make(text.length);
    return text.toUpperCase();
  }),
  split: define([string, string], (run, text, by) => {
    const parts: string[] = [];
    run.make(text.length);
    run.spend(Math.floor((text.length * by.length) / searchedPerStep));
    for (let from = 0; ; ) {
      run.spend(1);
      const at = by === '' ? from + 1 : text.indexOf(by, from);
      const isLast = by === '' ? at >= text.length : at === -1;
      if (text !== '' || by !== '') parts.push(isLast ? text.slice(from) : text.slice(from, at));
      if (isLast) return parts;
      from = at + by.length;
    }
  }),
  to_string: define([any], (run, value) => (typeof value === 'string' ? value : run.json(value))),
  to_number: define([any], (_, value) => {
    if (typeof value === 'number') return value;
    return typeof value === 'string' && value.length <= longestNumber && jsonNumber.test(value) ? Number(value) : null;
  }),
  type: define([any], (_, value) => typeOf(value)),
  length: define([either(string, either(array, object))], (run, value) => {
    if (typeof value !== 'string') return isRecord(value) ? run.keys(value).length : value.length;
    run.read(value.length * 8);
    // Characters, not halves of them.
    let count = 0;
    for (const _ of value) count++;
    return count;
  }),
};
