/** What is known about a server that cannot be used, or that a person has to look at. */
export interface Trouble {
  readonly toolbox: string;
  readonly server: string;
  readonly state: 'disabled' | 'unauthorized' | 'failed' | 'changed' | 'unknown';
  /** The kind of its last failure, and its reason, in which no configured secret is. */
  readonly kind?: string | undefined;
  readonly reason?: string | undefined;
  /** Where the credentials of its entry come from, if it has any: `TOKEN in secrets.env`. */
  readonly credentials?: string | undefined;
  /** The entry cannot be used as it is written, and the reason says why. */
  readonly isBroken?: boolean | undefined;
}

/** What to do about it: in words, by a command of ours with its words, or both. */
export interface NextStep {
  readonly says?: string;
  readonly command?: readonly [name: string, ...words: string[]];
}

interface Row {
  readonly state: Trouble['state'];
  readonly kinds?: readonly string[];
  /** Looked for in the reason. Advice only: nothing else depends on these words. */
  readonly text?: RegExp;
  readonly only?: (trouble: Trouble) => boolean;
  readonly step: (trouble: Trouble, match: readonly (string | undefined)[]) => NextStep;
}

const by =
  (command: string, says?: string): Row['step'] =>
  ({ toolbox, server }) => ({ ...(says !== undefined && { says }), command: [command, toolbox, server] });
const look = (says: string): Row['step'] => by('doctor', says);

/** The next step for every state and reason: the first row that fits. */
const rows: readonly Row[] = [
  { state: 'disabled', step: by('enable') },
  { state: 'changed', step: by('approve') },
  { state: 'unknown', step: by('doctor') },
  { state: 'unauthorized', text: /redirects to another origin/, step: look('write the URL that the reason names') },
  { state: 'unauthorized', text: /run `mcp-workbench auth /, step: by('auth') },
  {
    state: 'unauthorized',
    only: ({ credentials }) => credentials !== undefined,
    step: ({ credentials }) => ({ says: `change ${credentials}` }),
  },
  { state: 'unauthorized', step: by('auth') },
  { state: 'failed', only: ({ isBroken = false }) => isBroken, step: () => ({}) },
  { state: 'failed', text: /^(?:Environment variable )?\w+ (?:\(.*?\) )?is not set/, step: () => ({}) },
  { state: 'failed', kinds: ['wait'], step: () => ({ says: 'try again later' }) },
  {
    state: 'failed',
    kinds: ['unreachable', 'crashed', 'timeout', 'protocol'],
    text: /\b(?:listening|running|serving|available|started) (?:on|at)\b:? *(?:(https?:\/\/[^\s|'")\],]+)|(?:port )?(\d{2,5})\b)/i,
    step: ({ toolbox, server }, [, url, port]) => ({
      says: 'it serves HTTP, not MCP on stdin and stdout: keep it running by itself, and add its URL',
      command: ['add', toolbox, `${server}-http`, urlOf(url, port)],
    }),
  },
  {
    state: 'failed',
    text: /command '([^']+)' not found in PATH/,
    step: (trouble, [, command = '']) => look(whereFrom(command))(trouble, []),
  },
  { state: 'failed', text: /must be the program alone/, step: () => ({}) },
  { state: 'failed', text: /^command '.+' does not exist/, step: look('correct the path in "command"') },
  { state: 'failed', text: /^working directory '/, step: look('correct the path in "cwd"') },
  {
    state: 'failed',
    // A module that another one asked for has a stack, or the other one, behind it.
    text: /(?:Cannot find module|Module not found|can't open file) ['"]?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^'"|]*)['"]?(?!.*(?:Require stack|imported from))/,
    step: (trouble, [, file = '']) => look(`correct the path in "args": ${file.trim()} does not exist`)(trouble, []),
  },
  {
    state: 'failed',
    text: /Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND/,
    step: look('install what it depends on, in its directory (npm install)'),
  },
  {
    state: 'failed',
    text: /No module named '?([\w.]+)/,
    step: (trouble, [, name]) =>
      look(`install ${name} for the Python of "command", or name the one of its virtual environment there`)(
        trouble,
        [],
      ),
  },
  {
    state: 'failed',
    text: /\bE404\b|404 Not Found|No matching distribution/i,
    step: look('correct the name of the package in "args"'),
  },
  { state: 'failed', kinds: ['timeout'], step: look('raise startTimeoutMs if it is only slow') },
  { state: 'failed', kinds: ['lost'], step: look('check the URL, and whether the network is there') },
  { state: 'failed', text: /ECONNREFUSED|connection refused/i, step: look('start the service that it connects to') },
  {
    state: 'failed',
    text: /ENOTFOUND|EAI_AGAIN|getaddrinfo/i,
    step: look('check the name of the host, and the network'),
  },
  {
    state: 'failed',
    text: /EADDRINUSE|address already in use/i,
    step: look('end the other program that uses its port'),
  },
  { state: 'failed', text: /EACCES|EPERM|permission denied/i, step: look('let it read and run what it needs') },
  {
    state: 'failed',
    text: /unauthorized|invalid (?:api )?(?:key|token)|bad credentials|authentication/i,
    step: (trouble) => look(`change ${trouble.credentials ?? 'its token'}`)(trouble, []),
  },
  { state: 'failed', text: /ENOENT|no such file/i, step: look('correct the paths in "args"') },
  { state: 'failed', step: by('doctor') },
];

export function nextStep(trouble: Trouble): NextStep {
  const { state, kind = '', reason = '' } = trouble;
  for (const { state: wanted, kinds, text, only, step } of rows) {
    if (wanted !== state || kinds?.includes(kind) === false || only?.(trouble) === false) continue;
    const match = text === undefined ? [] : text.exec(reason);
    if (match !== null) return step(trouble, match);
  }
  return {};
}

const sources: readonly (readonly [names: RegExp, what: string, url: string])[] = [
  [/^uvx?$/, 'uv', 'https://docs.astral.sh/uv'],
  [/^(?:npx|npm|node)$/, 'Node.js', 'https://nodejs.org'],
  [/^docker$/, 'Docker', 'https://docs.docker.com/get-started/get-docker'],
  [/^bunx?$/, 'Bun', 'https://bun.sh'],
  [/^deno$/, 'Deno', 'https://deno.com'],
  [/^(?:python3?|pip3?|pipx)$/, 'Python', 'https://www.python.org'],
];

function whereFrom(command: string): string {
  const [, what, url] = sources.find(([names]) => names.test(command)) ?? [];
  const known = what === undefined ? `install ${command}` : `install ${what} (${url})`;
  return `${known}, or write the full path of ${command} in "command"`;
}

/** As this computer reaches it. */
function urlOf(url: string | undefined, port: string | undefined): string {
  return (url ?? `http://localhost:${port}`).replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//localhost').replace(/[.;]$/, '');
}
