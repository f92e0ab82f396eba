import type { ResultOptions, ToolIdentifier } from '../../contract/types.js';

/** Where the rest of a result can be read: by an agent that is given its id, by one for which it could not be kept, or not at all. */
export type Source =
  | { readonly kind: 'kept'; readonly tool: ToolIdentifier; readonly id: string }
  | { readonly kind: 'lost' }
  | { readonly kind: 'command' };

/** The next call in full, with what is different in it. */
export function nextCall({ toolbox, server, name }: ToolIdentifier, result: ResultOptions): string {
  return `use_tool ${JSON.stringify({ tool: { toolbox, server, name }, result })}`;
}

const again = 'It could not be kept. Make the same call again with "result":{"select":"…"} (JMESPath) or {"find":"…"}';

/** After an answer that does not have the value. `why`: how large it is. */
export function offerAll(why: string, source: Source, isText: boolean): string {
  if (source.kind === 'command') return why;
  if (source.kind === 'lost') return `${why} ${again}`;
  const { tool, id: of } = source;
  const kept = `${why} Kept; the call is not made again.`;
  return isText
    ? `${kept} Read: ${nextCall(tool, { of, from: 0 })} Search: …"find":"…"`
    : `${kept} Select (JMESPath): ${nextCall(tool, { of, select: '…' })} Search: …"find":"…" Read: …"from":0`;
}

/** After a page. */
export function offerNext(shown: string, source: Source, next: ResultOptions): string {
  if (source.kind === 'command') return shown;
  if (source.kind === 'lost') return `${shown} ${again}`;
  return `${shown} Next: ${nextCall(source.tool, { of: source.id, ...next })}`;
}

/** `508,216` */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
