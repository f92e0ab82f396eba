import { hiddenMark } from '../../text/secrets/known-forms.js';
import { type Document, type Fact, type Splice, splice } from './document.js';

/**
 * The text of a file as it may be shown: `show` gives the text of a value, or undefined for one that stays hidden. Numbers and
 * the like are shown, comments are not: people keep old entries in them.
 */
export function maskDocument(document: Document, show: (fact: Fact) => string | undefined): string {
  const comments = maskedComments(document);
  const values = document
    .facts()
    .filter(({ text }) => text !== '{' && text !== '[')
    .map((fact): Splice => {
      const end = fact.offset + fact.text.length;
      // A list of TOML is one value, and may have comments in it.
      const inside = comments
        .filter(({ start }) => start >= fact.offset && start < end)
        .map((one) => ({ ...one, start: one.start - fact.offset, end: one.end - fact.offset }));
      return { start: fact.offset, end, text: shownValue({ ...fact, text: splice(fact.text, inside) }, show) };
    });
  const between = comments.filter(({ start }) => !values.some((value) => start >= value.start && start < value.end));
  return splice(document.text, [...values, ...between]);
}

function shownValue(fact: Fact, show: (fact: Fact) => string | undefined): string {
  const isPlain = /^(?:true|false|null|-?\d{1,6}|\[\]|\{\})$/.test(fact.text);
  return isPlain ? fact.text : (show(fact) ?? `"${hiddenMark}"`);
}

function maskedComments(document: Document): Splice[] {
  return document.comments().map(({ start, end }) => {
    const [, open = '', close = ''] = /^(\/\/|\/\*|#).*?(\*\/)?$/s.exec(document.text.slice(start, end)) ?? [];
    return { start, end, text: [open, hiddenMark, close].filter((part) => part !== '').join(' ') };
  });
}
