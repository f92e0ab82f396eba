import { isMisfit } from '../../clients/documents/document.js';
import { openDocument } from '../../clients/documents/open-document.js';
import { isRecord } from '../../jsonrpc/json.js';
import { serversInCommands } from './command-line.js';
import { serversInLink } from './install-link.js';
import { serversInJson } from './json-text.js';
import type { Pasted, Unusable } from './pasted.js';

const link = /^[a-z][a-z0-9+.-]*:(?:\/\/|mcp\/)\S+$/i;

/** Whether a word is a pasted text, not a name. */
export function isPasted(word: string): boolean {
  return /\s|^[{"]/.test(word.trim()) || link.test(word.trim());
}

/** The servers in a text as vendors print it: JSON, TOML of Codex, a command, or an install link. Nothing is run. */
export function readPasted(given: string): Pasted | Unusable {
  const text = withoutFence(given.replace(/^\uFEFF/, '').trim());
  if (text === '') return { problem: 'There is nothing in it.' };
  if (/^[{"]|^\/[/*]/.test(text)) return serversInJson(text);
  if (/^\[/m.test(text) && /^\s*\[\s*"?mcp_servers\b/m.test(text)) return serversInToml(text);
  return link.test(text) ? serversInLink(text) : serversInCommands(text, serversInJson);
}

/** The block of a Markdown page. */
function withoutFence(text: string): string {
  return /^```\w*\r?\n([^]*?)\r?\n```$/.exec(text)?.[1]?.trim() ?? text;
}

function serversInToml(text: string): Pasted | Unusable {
  try {
    const entries = openDocument('toml', text).entriesAt(['mcp_servers']);
    return { client: 'codex', servers: entries.map(({ name, value }) => [name, isRecord(value) ? value : {}]) };
  } catch (error) {
    if (!isMisfit(error)) throw error;
    return { problem: error.message };
  }
}
