import { isRequest, type RpcMessage } from '../../jsonrpc/messages.js';
import type { HeaderList } from '../protocol/wire.js';
import { revisionIn } from './exchange.js';
import { headerValue } from './param-headers.js';

/** The parameter that `Mcp-Name` repeats, by method (2026-07-28). */
const namedBy: Readonly<Record<string, string>> = {
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/cancel': 'taskId',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tools/call': 'name',
};

/** What the headers of a modern request repeat of its body. */
export function bodyHeaders(message: RpcMessage): HeaderList {
  const revision = revisionIn(message);
  if (revision === undefined || !isRequest(message)) return [];
  const { method, params } = message;
  const key = Object.hasOwn(namedBy, method) ? namedBy[method] : undefined;
  const name = key === undefined ? undefined : params?.[key];
  return [
    ['mcp-protocol-version', revision],
    ['mcp-method', method],
    ...(typeof name === 'string' ? [['mcp-name', headerValue(name)] as const] : []),
  ];
}

/**
 * The headers of the configuration, overridden by those of the protocol, in order of name. A configured Accept is extended by the
 * types in `accepted`.
 */
export function composeHeaders(
  configured: ReadonlyMap<string, string>,
  own: Iterable<readonly [name: string, value: string | undefined]>,
  accepted: readonly string[] = [],
): HeaderList {
  const headers = new Map<string, string>();
  for (const [name, value] of [...configured, ...own]) {
    if (value !== undefined) headers.set(name.toLowerCase(), value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''));
  }
  if (accepted.length > 0) {
    const types = (headers.get('accept')?.split(',') ?? []).map((type) => type.trim().toLowerCase());
    headers.set('accept', [...new Set([...types, ...accepted])].join(', '));
  }
  return [...headers].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
