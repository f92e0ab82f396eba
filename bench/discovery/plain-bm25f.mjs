// The baseline: textbook BM25F with stop words and the s of plurals removed. No synonyms, no bonus.
const weights = [2, 1.5, 1, 1, 0.5, 0.5];
const k1 = 1.2;
const b = 0.5;
const stopWords = new Set(
  (
    'a an and are as at be by can could for from has have i in into is it its me my of on or please that the this to ' +
    'was will with you your'
  ).split(' '),
);

/** Takes the same sources as the workbench's search; `query` returns { toolbox, server, tool }. */
export function createPlainSearch(sources) {
  const entries = sources.flatMap((source) => source.tools.map((tool) => ({ ...source, tool })));
  const texts = entries.map((entry) => fieldsOf(entry).map(wordsOf));
  const averages = weights.map((_, field) => texts.reduce((sum, text) => sum + text[field].length, 0) / texts.length);
  const postings = new Map();
  texts.forEach((text, entry) => {
    for (const [word, frequency] of frequencies(text, averages)) {
      const list = postings.get(word) ?? { entries: [], gains: [] };
      postings.set(word, list);
      list.entries.push(entry);
      list.gains.push((frequency * (k1 + 1)) / (k1 + frequency));
    }
  });
  for (const { entries: having, gains } of postings.values()) {
    const rarity = Math.log(1 + (entries.length - having.length + 0.5) / (having.length + 0.5));
    gains.forEach((gain, at) => (gains[at] = gain * rarity));
  }
  const scores = new Float64Array(entries.length);

  return {
    query(text, limit) {
      scores.fill(0);
      for (const word of new Set(wordsOf(text))) {
        const list = postings.get(word);
        list?.entries.forEach((entry, at) => (scores[entry] += list.gains[at]));
      }
      return best(scores, limit).map((entry) => entries[entry]);
    },
  };
}

function best(scores, limit) {
  const top = [];
  for (let entry = 0; entry < scores.length; entry++) {
    if (scores[entry] === 0 || (top.length === limit && scores[entry] <= scores[top.at(-1)])) continue;
    let at = top.length;
    while (at > 0 && scores[top[at - 1]] < scores[entry]) at--;
    top.splice(at, 0, entry);
    if (top.length > limit) top.pop();
  }
  return top;
}

function fieldsOf({ server, description, tool }) {
  const parameters = Object.entries(tool.inputSchema?.properties ?? {});
  return [
    tool.name,
    server,
    description,
    tool.description,
    parameters.map(([name]) => name).join(' '),
    parameters.map(([, schema]) => schema?.description ?? '').join(' '),
  ];
}

function frequencies(text, averages) {
  const sums = new Map();
  text.forEach((words, field) => {
    const weight = weights[field] / (1 - b + (b * words.length) / (averages[field] || 1));
    for (const word of words) sums.set(word, (sums.get(word) ?? 0) + weight);
  });
  return sums;
}

function wordsOf(text) {
  const words =
    (text ?? '')
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+|[\u4e00-\u9fff]/g) ?? [];
  return words.filter((word) => !stopWords.has(word)).map((word) => word.replace(/(?<=[^s]{3})s$/, ''));
}
