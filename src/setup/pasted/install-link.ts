import { serverName } from '../server-name.js';
import { serversInJson } from './json-text.js';
import type { Pasted, Unusable } from './pasted.js';

/**
 * The server of an install link: `cursor://…/mcp/install?name=…&config=BASE64`, `vscode:mcp/install?JSON`, and the pages of
 * cursor.com and vscode.dev that lead to them. Any other http address is that of a remote server.
 */
export function serversInLink(link: string): Pasted | Unusable {
  if (!URL.canParse(link)) return { problem: 'It is not a link.' };
  const url = new URL(link);
  const inner = url.searchParams.get('url');
  if (inner !== null && /^(?:vscode|cursor)[\w-]*:/i.test(inner)) return serversInLink(inner);
  const config = url.searchParams.get('config');
  if (config !== null) return named(url.searchParams.get('name'), serversInJson(decoded(config)));
  if (/^vscode[\w-]*:$/i.test(url.protocol))
    return named(null, serversInJson(fromPercent(link.replace(/^[^?]*\??/, ''))));
  if (!/^https?:$/.test(url.protocol)) return { problem: 'The link has no "config" in it.' };
  const entry = { url: link };
  return { client: 'claude-code', servers: [[serverName(entry), entry]] };
}

/** The name of the link counts for a single entry. */
function named(name: string | null, read: Pasted | Unusable): Pasted | Unusable {
  if ('problem' in read) return { problem: `What the link contains cannot be used. ${read.problem}` };
  const servers = read.servers.map(([own, entry]) => [name && read.servers.length === 1 ? name : own, entry] as const);
  return { ...read, servers };
}

function decoded(config: string): string {
  const text = config.trim();
  if (/^[{"]/.test(text)) return text;
  if (text.startsWith('%')) return fromPercent(text);
  // In a query, `+` has become a space.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8');
}

function fromPercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
