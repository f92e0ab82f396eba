import type { ServerConfig } from '../../config/config.js';

// Two entries may run the same under different words: `npx -y it@2`, `sh -c 'npx it --verbose'`, `/usr/bin/node ./it.js`. Whoever edits
// the file chooses them, so entries are compared by the words that say what runs, and one in common is enough.

/** Programs that run others, and words that many entries have. */
const common: ReadonlySet<string> = new Set([
  ...[
    'node',
    'nodejs',
    'npx',
    'npm',
    'pnpm',
    'pnpx',
    'yarn',
    'bun',
    'bunx',
    'deno',
    'tsx',
    'corepack',
    'nvm',
    'volta',
    'mise',
  ],
  ...[
    'python',
    'python3',
    'uv',
    'uvx',
    'pip',
    'pipx',
    'poetry',
    'conda',
    'ruby',
    'java',
    'php',
    'perl',
    'dotnet',
    'dnx',
    'cargo',
  ],
  ...[
    'sh',
    'bash',
    'zsh',
    'fish',
    'dash',
    'cmd',
    'powershell',
    'pwsh',
    'env',
    'exec',
    'sudo',
    'nice',
    'timeout',
    'direnv',
  ],
  ...['docker', 'podman', 'nerdctl', 'ssh', 'wsl', 'mcp-remote', 'supergateway', 'http', 'https', 'localhost'],
  ...[
    'run',
    'dlx',
    'tool',
    'start',
    'serve',
    'server',
    'stdio',
    'main',
    'index',
    'mcp',
    'latest',
    'dist',
    'build',
    'lib',
    'src',
    'bin',
  ],
  ...[
    'usr',
    'opt',
    'home',
    'users',
    'tmp',
    'var',
    'true',
    'false',
    'yes',
    'json',
    'info',
    'debug',
    'production',
    'workspace',
  ],
]);
const shortest = 3;

/** What an entry runs or calls, word for word. */
export function programLine({ target }: ServerConfig): string | undefined {
  const real = target.kind === 'late' ? target.draft : target;
  if (real.kind === 'broken') return undefined;
  return JSON.stringify(real.kind === 'stdio' ? [real.command, real.args] : [real.url]);
}

/** The words of it that say what it is. */
export function programWords({ target }: ServerConfig): ReadonlySet<string> {
  const real = target.kind === 'late' ? target.draft : target;
  if (real.kind === 'broken') return new Set();
  return wordsIn(real.kind === 'stdio' ? [real.command, ...real.args] : [hostOf(real.url)]);
}

/** Also of what it could run by a variable: `sh -c "$IT"`. */
export function reachableWords(server: ServerConfig): ReadonlySet<string> {
  const { target } = server;
  const real = target.kind === 'late' ? target.draft : target;
  const values = real.kind === 'stdio' ? [...real.env.values()] : [];
  const url = real.kind === 'remote' ? [real.url] : [];
  return new Set([...programWords(server), ...wordsIn([...values, ...url])]);
}

/** The address, by which another entry may call it through a bridge. */
function hostOf(url: string): string {
  try {
    const { host, hostname, port } = new URL(url);
    return port === '' ? hostname : host;
  } catch {
    return url;
  }
}

const script = /\.(?:[cm]?[jt]s|py|exe|cmd|sh|rb|jar)$/;

function wordsIn(texts: readonly string[]): ReadonlySet<string> {
  const all = texts.flatMap((text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}@._:/\\~-]+/u)
      .filter((word) => word !== ''),
  );
  const words = all.flatMap((word, index) => (isData(word, all[index - 1]) ? [] : namesIn(word)));
  return new Set(words.filter((word) => word.length >= shortest && !common.has(word) && !/^[\d.:]+$/.test(word)));
}

/** A directory or a file that many programs may be given. */
function isData(word: string, before: string | undefined): boolean {
  const isPath = /^(?:[./\\~]|[a-z]:[/\\])/.test(word) && !script.test(word);
  return isPath && before !== undefined && !common.has(before.split(/[/\\]/).at(-1) ?? '');
}

/** A word as it is, without its version, and the last part of a path or a URL. */
function namesIn(word: string): string[] {
  if (word.startsWith('-')) return [];
  const url = /^[a-z][a-z0-9+.-]*:\/\/([^/@]*@)?([^/]+)/.exec(word)?.[2];
  if (url !== undefined) return [url];
  const plain = word
    .replace(/^npm:/, '')
    .replace(/[/\\]+$/, '')
    .replace(/(?<=.)@[^/@]*$/, '')
    .replace(/:[\w.-]+$/, '');
  const last = plain.split(/[/\\]/).at(-1) ?? '';
  return [plain, last, last.replace(script, '')];
}
