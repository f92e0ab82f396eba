import { isRecord } from '../../jsonrpc/json.js';
import { serverName } from '../server-name.js';
import { parseMcpAdd } from './mcp-add.js';
import type { Pasted, Unusable } from './pasted.js';
import { commandLines, shellWords } from './shell-words.js';

/** The servers of one or more command lines: lines for a client, or lines that start a server. */
export function serversInCommands(text: string, inJson: (text: string) => Pasted | Unusable): Pasted | Unusable {
  const servers: (readonly [string, object])[] = [];
  for (const line of commandLines(text)) {
    const split = shellWords(line);
    if ('problem' in split) return split;
    const read = serversInWords(split.words, inJson);
    if ('problem' in read || commandLines(text).length === 1) return read;
    servers.push(...read.servers);
  }
  return { client: 'claude-code', servers };
}

function serversInWords(words: readonly string[], inJson: (text: string) => Pasted | Unusable): Pasted | Unusable {
  const [, second, third] = words;
  if (second === 'mcp' && third === 'add') return parseMcpAdd(words.slice(3));
  if (second === 'mcp' && third === 'add-json') return addJson(words.slice(3), inJson);
  const json = words.findIndex((word) => /^--add-mcp(?:=|$)/.test(word));
  if (json !== -1) return inJson(words[json]?.replace(/^--add-mcp=?/, '') || (words[json + 1] ?? ''));
  return program(words);
}

/** `claude mcp add-json NAME JSON` */
function addJson(words: readonly string[], inJson: (text: string) => Pasted | Unusable): Pasted | Unusable {
  const at = words.findIndex((word) => word.trimStart().startsWith('{'));
  const name = words.slice(0, Math.max(at, 0)).findLast((word) => !word.startsWith('-'));
  const read = inJson(words[at] ?? '');
  if ('problem' in read) return read;
  return { ...read, servers: read.servers.map(([own, entry]) => [name ?? own, entry] as const) };
}

/** A command that starts a server, with variables in front of it. */
function program(words: readonly string[]): Pasted | Unusable {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [command = '', ...args] = start === -1 ? [] : words.slice(start);
  if (command === '') return { problem: 'There is no command in it.' };
  if (/^(?:npm|pip3?|brew|cargo|go|gem)$/.test(command) && /^(?:i|add|install)$/.test(args[0] ?? ''))
    return {
      problem: `\`${command} ${args[0]}\` installs a package; it starts no server. Give the command that starts it.`,
    };
  const env = Object.fromEntries(
    words.slice(0, start).map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)] as const;
    }),
  );
  const entry = { command, ...(args.length > 0 && { args }), ...(start > 0 && { env }) };
  return { client: 'claude-code', servers: [[serverName(entry), entry]] };
}

/** Some vendors write a whole command line where the program should be. */
export function splitCommand(entry: object): object {
  if (!isRecord(entry)) return entry;
  const { command, args } = entry;
  const isWhole =
    typeof command === 'string' && /^[\w.-]+\s+\S/.test(command) && (!Array.isArray(args) || args.length === 0);
  const split = isWhole ? shellWords(command) : undefined;
  if (split === undefined || 'problem' in split) return entry;
  return { ...entry, command: split.words[0], args: split.words.slice(1) };
}
