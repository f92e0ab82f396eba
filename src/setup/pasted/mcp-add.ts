import type { Pasted, Unusable } from './pasted.js';

/** What the options of `mcp add` say, in the words of Claude Code, Codex and Gemini CLI. */
interface Given {
  name: string | undefined;
  url: string | undefined;
  transport: string | undefined;
  program: readonly string[];
  readonly env: [string, string][];
  readonly headers: [string, string][];
}

const switches = new Set(['--trust', '--debug', '--verbose']);
/** Options that say where the client keeps the entry, or how it treats it. */
const withoutEffect = new Set(['-s', '--scope', '--timeout', '--description', '--callback-port', '--client-id']);

/** The words after `claude mcp add`: NAME and a URL or a program, with options before, between and after them. */
export function parseMcpAdd(words: readonly string[]): Pasted | Unusable {
  const given: Given = { name: undefined, url: undefined, transport: undefined, program: [], env: [], headers: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      const rest = words.slice(at + 1);
      given.name ??= rest.shift();
      given.program = rest;
      break;
    }
    if (word.startsWith('-')) {
      const taken = takeOption(words, at, given);
      if (typeof taken === 'string') return { problem: taken };
      at = taken;
    } else if (given.name === undefined) given.name = word;
    else if (/^https?:\/\//i.test(word)) given.url = word;
    else {
      given.program = words.slice(at);
      break;
    }
  }
  return entryOf(given);
}

/** The index of the last word that belongs to the option, or what is wrong with it. */
function takeOption(words: readonly string[], at: number, given: Given): number | string {
  const [, option = '', inline] = /^(--?[\w-]+)(?:=([^]*))?$/.exec(words[at] ?? '') ?? [];
  if (switches.has(option)) return at;
  const last = inline === undefined ? at + 1 : at;
  const value = inline ?? words[last];
  if (value === undefined) return `${option} has no value.`;
  if (withoutEffect.has(option)) return last;
  if (option === '-t' || option === '--transport') given.transport = value;
  else if (option === '--url') given.url = value;
  else if (option === '--bearer-token-env-var') given.headers.push(['Authorization', `Bearer \${${value}}`]);
  else if (option === '-e' || option === '--env')
    return takeAll(words, last, value, /^([A-Za-z_]\w*)=([^]*)$/, given.env);
  else if (option === '-H' || option === '--header')
    return takeAll(words, last, value, /^([\w-]+):\s*([^]*)$/, given.headers);
  else return `Unknown option ${option}.`;
  return last;
}

/** One value, and those after it that look the same: Claude Code takes several. */
function takeAll(
  words: readonly string[],
  last: number,
  first: string,
  form: RegExp,
  into: [string, string][],
): number | string {
  if (!form.test(first)) return `'${first.replace(/[=:].*$/s, '')}' has no value.`;
  let at = last;
  for (let value: string | undefined = first; value !== undefined; ) {
    const [, name = '', text = ''] = form.exec(value) ?? [];
    if (name === '' || /^https?$/i.test(name)) return at - 1;
    into.push([name, text]);
    value = words[++at];
  }
  return at - 1;
}

function entryOf({ name, url, transport, program, env, headers }: Given): Pasted | Unusable {
  const [command, ...args] = program;
  if (name === undefined || (url === undefined && command === undefined))
    return { problem: '`mcp add` needs a name, and a URL or a program.' };
  const entry =
    url === undefined
      ? { command, ...(args.length > 0 && { args }), ...(env.length > 0 && { env: Object.fromEntries(env) }) }
      : {
          ...((transport === 'sse' || transport === 'http') && { type: transport }),
          url,
          ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
        };
  return { client: 'claude-code', servers: [[name, entry]] };
}
