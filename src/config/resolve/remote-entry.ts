import type { Path } from '../place.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import { type Said, urlsIn } from '../schema/transport.js';

export interface HeaderEntry {
  readonly at: Path;
  readonly name: string;
  readonly value: string;
}

/** The URL of an entry, in whatever key it is. Undefined for a program. */
export function urlIn(entry: ServerFileEntry): Said | undefined {
  return urlsIn({ ...entry })[0];
}

/** The headers that are sent: those of `transport`, overridden by those of the entry itself. */
export function headersIn(entry: ServerFileEntry): HeaderEntry[] {
  return allHeaders(entry).filter(({ name }) => !isOwnHeader(name));
}

function allHeaders({ headers, transport }: ServerFileEntry): HeaderEntry[] {
  const found = new Map<string, HeaderEntry>();
  const inTransport = typeof transport === 'object' ? transport.headers : undefined;
  for (const [name, value] of inTransport ?? []) {
    found.set(name.toLowerCase(), { at: ['transport', 'headers', name], name, value });
  }
  for (const [name, value] of headers ?? []) found.set(name.toLowerCase(), { at: ['headers', name], name, value });
  return [...found.values()];
}

/**
 * Headers that belong to the connection or to the protocol. They are dropped instead of refused: blocks that are pasted from
 * documentation often have `Content-Type` and `Accept`, usually with the values that are sent anyway.
 */
const ownHeaders = new Set([
  ...['accept', 'content-type', 'content-length', 'content-encoding', 'last-event-id'],
  ...[
    'host',
    'connection',
    'keep-alive',
    'proxy-connection',
    'transfer-encoding',
    'te',
    'trailer',
    'upgrade',
    'expect',
  ],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]);

function isOwnHeader(name: string): boolean {
  return ownHeaders.has(name.toLowerCase()) || /^mcp-param-/i.test(name);
}

interface Useless {
  readonly at: Path;
  readonly why: string;
}

/** What a valid entry gives that has no effect. `defaults`: those of its file. */
export function uselessIn(entry: ServerFileEntry, defaults: ServerFileSettings): Useless[] {
  if (entry.command !== undefined) {
    const oauth =
      entry.oauth === undefined || entry.oauth.grant === 'none' ? [] : [{ at: ['oauth'], why: noEffect('command') }];
    return [...allHeaders(entry).map(({ at }) => ({ at, why: noEffect('command') })), ...oauth];
  }
  const { args = [], env, cwd, envCommand = defaults.envCommand ?? [], env_vars: passed = [] } = entry;
  return [
    ...(args.length === 0 ? [] : [{ at: ['args'], why: noEffect('url') }]),
    ...(env === undefined || env.size === 0 ? [] : [{ at: ['env'], why: `${noEffect('url')} ${whereVariablesCome}` }]),
    ...(passed.length === 0 || envCommand.length > 0 ? [] : [{ at: ['env_vars'], why: noEffect('url') }]),
    ...(cwd === undefined || envCommand.length > 0 ? [] : [{ at: ['cwd'], why: noEffect('url') }]),
    ...allHeaders(entry)
      .filter(({ name }) => isOwnHeader(name))
      .map(({ at }) => ({ at, why: 'This header is ignored: the transport sets it.' })),
  ];
}

const noEffect = (kind: string) => `This has no effect on a server with a ${kind}.`;
const whereVariablesCome =
  'Variables for url and headers come from the environment of the workbench, "envFile" or "envCommand".';
