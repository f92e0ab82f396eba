import { firstSentence } from '../../text/first-sentence.js';
import { shortenAtWord } from '../../text/shorten.js';
import { fitText, textSize } from './fit-text.js';
import { jsonChars, type ListedTool, placeCells } from './listed-tool.js';
import { commentedSignature } from './parameter-comments.js';
import { argumentsOf } from './signature.js';
import { schemaCells, type View, type Views } from './tool-views.js';

/** So much of a description comes before the descriptions of parameters. */
const firstDescription = 1_000;
const sentenceChars = 160;
/** Less than this of a description or a signature says nothing. */
const leastDescription = 20;
const leastSignature = 12;
/** With less than this, a signature is worth more than a description. */
const tight = 80;

/** The row with the most detail that was requested, whatever its size. */
export function richestRow(entry: ListedTool, views: Views): View {
  if (views.options.detail === 'names') return views.name(entry);
  if (views.options.detail !== 'signatures') return views.schema(entry);
  return signatureRow(entry, briefDescription(entry, views), views.signature(entry), views);
}

/** The row with the most detail within `room`; only the name, if there is no room for more. */
export function fitRow(entry: ListedTool, room: number, views: Views): View {
  const richest = richestRow(entry, views);
  if (richest.size <= room) return richest;
  const { detail } = views.options;
  if (detail === 'names') return views.name(entry);
  const reduced = detail === 'signatures' ? undefined : withCutDescription(entry, room, views);
  return reduced ?? withSignature(entry, room, views) ?? views.name(entry);
}

/** The whole schema, if much of the description fits beside it. */
function withCutDescription(entry: ListedTool, room: number, views: Views): View | undefined {
  // The size with an empty description.
  const around = views.schema(entry).size - jsonChars(entry.tool.description ?? '', views.options) + 2;
  const text = views.description(entry);
  if (room - around < Math.min(textSize(text.slice(0, firstDescription), views.options), firstDescription))
    return undefined;
  const description = fitText((chars) => shortenAtWord(text, chars), room - around, views.options);
  const view = views.view('schemas', schemaCells(entry, views.options, description));
  return view.size <= room ? view : undefined;
}

function withSignature(entry: ListedTool, room: number, views: Views): View | undefined {
  const inner = room - signatureRow(entry, '', '', views).size;
  if (inner < leastSignature) return undefined;
  const isBrief = views.options.detail === 'signatures';
  const text = isBrief ? briefDescription(entry, views) : views.description(entry);
  const textChars = textSize(text.slice(0, Math.ceil(inner) + 1), views.options);
  const signature =
    (isBrief ? undefined : commentedSignature(entry.tool, inner - Math.min(textChars, firstDescription), views)) ??
    fitText(
      (chars) => argumentsOf(entry.tool, chars, views.effort),
      inner < tight ? inner : Math.max(inner / 2, inner - textChars),
      views.options,
    );
  const left = inner - textSize(signature, views.options);
  const description =
    left < leastDescription ? '' : fitText((chars) => shortenAtWord(text, chars), left, views.options);
  return signatureRow(entry, description, signature, views);
}

/** The first sentence that most tools of the server do not share. */
function briefDescription(entry: ListedTool, views: Views): string {
  const first = firstSentence(entry.tool.description, sentenceChars);
  return views.shared.get(entry)?.has(first) ? firstSentence(views.description(entry), sentenceChars) : first;
}

function signatureRow(entry: ListedTool, description: string, signature: string, views: Views): View {
  const place = placeCells(entry, views.options);
  return views.view('signatures', [...place, entry.tool.name, description, signature]);
}
