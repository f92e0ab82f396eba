import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainHeaders, refuse } from './exchange/refusal.js';

/** What the service says about itself to everybody, by path. */
export type Documents = ReadonlyMap<string, string>;

const wellKnown = '/.well-known/oauth-protected-resource';

/** RFC 9728: where clients get their tokens. `path`: that of the endpoint. */
export function metadataDocuments(metadata: object | undefined, path: string): Documents {
  if (metadata === undefined) return new Map();
  const text = JSON.stringify(metadata);
  return new Map([wellKnown, `${wellKnown}${path === '/' ? '' : path}`].map((at) => [at, text]));
}

/** The path of the document that a client is pointed to. */
export function metadataPath(path: string): string {
  return `${wellKnown}${path === '/' ? '' : path}`;
}

export function serveDocument(
  documents: Documents,
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const text = documents.get(path);
  if (text === undefined) return false;
  if (method !== 'GET') {
    refuse(response, { status: 405, headers: { Allow: 'GET' } });
    return true;
  }
  response
    .writeHead(200, {
      ...plainHeaders,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'Access-Control-Allow-Origin': '*',
    })
    .end(text);
  return true;
}
