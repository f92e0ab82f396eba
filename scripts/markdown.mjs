/** The longest line of prose. Tables, code blocks and words without a space may be longer. */
const width = 120;

const isTableRow = (line) => /^\s*\|/.test(line);
/** A word that would begin a list, a heading, a quotation or a table at the start of a line. */
const isMarker = (word) => /^([-+*>|]|#+|\d+[.)]|[-=]+)$|^[|>]/.test(word);

/** Markdown in the one form of this repository: prose filled up to 120 characters, tables without padding. */
export function formatMarkdown(text) {
  const output = [];
  let paragraph;
  let fence;
  let isHtml = false;
  const flush = () => {
    if (paragraph) output.push(...fill(paragraph));
    paragraph = undefined;
  };
  for (const line of text.split('\n')) {
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    const [, indent, bullet = '', words] = /^(\s*)((?:[-*+]|\d+[.)]) +)?(.*)$/.exec(line);
    if (fence !== undefined || mark !== undefined) {
      flush();
      output.push(line);
      if (fence === undefined) fence = mark;
      else if (line.trim() === fence) fence = undefined;
    } else if (words === '') {
      flush();
      isHtml = false;
      if (output.at(-1) !== '') output.push('');
    } else if (isHtml || line.startsWith('<!--') || (paragraph === undefined && line.startsWith('<'))) {
      flush();
      isHtml = !line.startsWith('<!--');
      output.push(line);
    } else if (isTableRow(line)) {
      flush();
      output.push(unpadded(line));
    } else if (/^#+ /.test(line)) {
      flush();
      output.push(line);
    } else if (bullet !== '' || paragraph === undefined) {
      flush();
      paragraph = { first: indent + bullet, rest: ' '.repeat(indent.length + bullet.length), words: [words] };
    } else {
      paragraph.words.push(words);
    }
  }
  flush();
  return output.join('\n');
}

/** A Markdown table. The first row is its head. */
export function printTable([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].map(unpadded).join('\n');
}

function fill({ first, rest, words }) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of wordsOf(words.join(' '))) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/** Separated by spaces, except for those in code, in short links and before a marker, which must not begin a line. */
function wordsOf(text) {
  const words = [];
  for (const [word] of text.matchAll(/(?:(`+)(?!`)[^]*?(?<!`)\1(?!`)|\[[^\][]{1,40}\]\([^)\s]{1,60}\)|[^\s])+/g)) {
    if (isMarker(word) && words.length > 0) words.push(`${words.pop()} ${word}`);
    else words.push(word);
  }
  return words;
}

function unpadded(line) {
  const cells = line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
  if (cells.every((cell) => /^\s*:?-+:?\s*$/.test(cell)))
    return `|${cells.map((cell) => `${cell.trim().replace(/-+/, '---')}|`).join('')}`;
  return `|${cells.map((cell) => (cell.trim() === '' ? ' |' : ` ${cell.trim()} |`)).join('')}`;
}
