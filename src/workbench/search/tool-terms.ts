import type { Tool } from '../../contract/types.js';
import { maxIndexedChars } from '../../limits.js';
import { fields, nameField, type SearchSource, serverFields, toolFields } from './fields.js';
import type { Lexicon } from './lexicon.js';

/** Of each text of a tool at least this much is indexed. */
const shortestText = 150;

/** Occurrences of terms in fields, as triples: term, field, count. */
type Occurrences = Uint32Array;

export interface ToolTerms {
  /** One list for all tools of the server, one for this tool. */
  readonly occurrences: readonly [ofServer: Occurrences, ofTool: Occurrences];
  /** The length of each field. */
  readonly lengths: Uint32Array;
  /** The distinct terms of the tool's name. */
  readonly nameTerms: Uint32Array;
}

/** The expensive part of indexing, done once per server: everything that does not depend on the other servers. */
export function termReader(source: SearchSource, lexicon: Lexicon): (tool: Tool) => ToolTerms {
  const server = serverFields(source, lexicon);
  const ofServer = countOccurrences(server);
  const maxChars = Math.max(shortestText, Math.floor(maxIndexedChars / Math.max(1, source.tools.length)));
  return (tool) => {
    const own = toolFields(tool, lexicon, maxChars);
    return {
      occurrences: [ofServer, countOccurrences(own)],
      lengths: Uint32Array.from(fields, (_, field) => (own[field]?.length ?? 0) + (server[field]?.length ?? 0)),
      nameTerms: Uint32Array.from(new Set(own[nameField])),
    };
  };
}

function countOccurrences(termsOfFields: readonly (readonly number[])[]): Occurrences {
  const counts = new Map<number, number>();
  termsOfFields.forEach((terms, field) => {
    for (const term of terms) {
      const key = term * fields.length + field;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  });
  const triples = new Uint32Array(counts.size * 3);
  let at = 0;
  for (const [key, count] of counts) {
    triples[at++] = Math.floor(key / fields.length);
    triples[at++] = key % fields.length;
    triples[at++] = count;
  }
  return triples;
}
