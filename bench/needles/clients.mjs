/**
 * What eight clients show of a result by themselves. Their rules, for the versions of test/clients/package.json: of Codex, Gemini CLI and
 * opencode from their sources; of the others the limits and what is left were seen in tries, and the 8,000 characters of Cline are assumed to
 * be halves of its two ends. What they add, such as the name of the file with the rest, does not count.
 */

const texts = ({ content }) => content.map(({ text = '' }) => text).join('\n');
const structured = ({ structuredContent }) =>
  structuredContent === undefined ? undefined : JSON.stringify(structuredContent);

/** What a client takes for the result, by the words of the table of limits in docs/results.md. */
const counted = {
  text: texts,
  structured: (result) => structured(result) ?? texts(result),
  both: (result) => [texts(result), structured(result)].filter(Boolean).join('\n'),
  json: (result) => JSON.stringify(result),
};

const chars = (text) => text.length;
const bytes = (text) => Buffer.byteLength(text);
const first = (most) => (text) => [text.slice(0, most)];
const bothEnds = (head, tail) => (text) => [text.slice(0, head), text.slice(-tail)];

/** Whole lines from the beginning. */
function wholeLines(most, mostLines) {
  return (text) => {
    const shown = [];
    let size = 0;
    for (const line of text.split('\n').slice(0, mostLines)) {
      size += bytes(line) + 1;
      if (size > most + 1) break;
      shown.push(line);
    }
    return [shown.join('\n')];
  };
}

const client = (name, of, whole, rule, cut) => ({ name, of, whole, rule, cut });

/** `whole`: whether the counted text is shown as it is; `cut`: else the pieces that are. */
const clients = [
  client(
    'Claude Code',
    'structured',
    (text) => chars(text) <= 50_000,
    'over 50,000 characters the first 2,000, the rest in a file',
    first(2_000),
  ),
  client(
    'Codex',
    'structured',
    (text) => bytes(text) <= 40_000,
    'over 40,000 bytes (10,000 tokens of 4) 20,000 from each end',
    bothEnds(20_000, 20_000),
  ),
  client(
    'Gemini CLI',
    'text',
    (text) => chars(text) <= 40_000,
    'over 40,000 characters the first 8,000 and the last 32,000, all in a file',
    bothEnds(8_000, 32_000),
  ),
  client(
    'opencode',
    'text',
    (text) => bytes(text) <= 51_200 && text.split('\n').length <= 2_000,
    'over 2,000 lines or 51,200 bytes the whole lines before that, all in a file',
    wholeLines(51_200, 2_000),
  ),
  client(
    'Qwen Code',
    'both',
    (text) => chars(text) <= 28_000,
    'over 28,000 characters the first 2,000, the rest in a file',
    first(2_000),
  ),
  client(
    'Copilot CLI',
    'both',
    (text) => bytes(text) <= 20_480,
    'over 20,480 bytes the first 500 characters, the rest in a file',
    first(500),
  ),
  client(
    'Cline',
    'json',
    (text) => chars(text) <= 8_000,
    'over 8,000 characters of the result as JSON 4,000 from each end',
    bothEnds(4_000, 4_000),
  ),
  client(
    'Continue',
    'text',
    (text) => chars(text) <= 60_000,
    'over about 60,000 characters nothing',
    () => [],
  ),
];

/** The pieces of a result that a client shows. */
function shownBy({ of, whole, cut }, result) {
  const text = counted[of](result);
  return whole(text) ? [text] : cut(text);
}

/** Text is the same with other white space, and inside JSON. */
const bare = (text) => text.replaceAll(/\\[nt]|\\|\s/g, '');

/** Whether the answer is in what is shown, be it as text or inside JSON. */
function isShown({ any, all }, result, pieces) {
  const text = texts(result);
  const found = [...text.matchAll(any ?? all ?? /[^]+/g)].map(([match]) => match);
  if (found.length === 0) throw new Error('The answer is not in the result.');
  const shown = pieces.map(bare);
  const isIn = (match) => shown.some((piece) => piece.includes(bare(match)));
  return any === undefined ? found.every(isIn) : found.some(isIn);
}

/** The rows of a table: what each client shows of these results, and how many answers it has lost. `seen`: needles with their results. */
export function clientRows(seen, countTokens) {
  return clients.map((one) => {
    const pieces = seen.map(({ result }) => shownBy(one, result));
    const tokens = pieces.flat().reduce((sum, piece) => sum + countTokens(piece), 0);
    const lost = seen.filter(({ needle, result }, at) => !isShown(needle, result, pieces[at]));
    return [one.name, one.rule, tokens, `${lost.length} of ${seen.length}`];
  });
}
