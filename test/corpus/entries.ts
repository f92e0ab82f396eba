/** A server entry, and what of it stands in messages of its server. */
export interface FactualEntry {
  readonly about: string;
  readonly entry: object;
  readonly file: string;
  readonly dir: string;
  readonly name: string;
  readonly words: string;
}

const usual = {
  file: '/opt/servers/files/index.js',
  dir: '/opt/servers/files',
  name: 'missing-server',
  words: 'Server listening on',
};

/** The script of a shell that says a sentence. */
const saying = (words: string) => `test -n "$READY" || { echo "${words}" >&2; exit 1; }`;

/** Entries in which there is no secret, or none but a token that no message has. */
export const factualEntries: readonly FactualEntry[] = [
  {
    ...usual,
    about: 'an argument with spaces',
    entry: { command: 'node', args: ['/home/a/My Projects/git server/index.js'] },
    file: '/home/a/My Projects/git server/index.js',
    dir: '/home/a/My Projects/git server',
  },
  {
    ...usual,
    about: 'a variable with a path',
    entry: { command: 'node', args: ['/opt/servers/files/index.js'], env: { SERVER_DIR: '/opt/servers/files' } },
  },
  {
    ...usual,
    about: 'a variable with a path and spaces, and a token',
    entry: {
      command: 'node',
      args: ['index.js'],
      env: {
        DATA_DIR: '/Users/jo/Library/Application Support/server2b 7f3a9c1d',
        GITHUB_TOKEN: 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2',
      },
    },
    file: '/Users/jo/Library/Application Support/server2b 7f3a9c1d/index.js',
    dir: '/Users/jo/Library/Application Support/server2b 7f3a9c1d',
  },
  {
    ...usual,
    about: 'a path of Windows',
    entry: { command: 'C:\\Program Files\\nodejs\\node.exe', args: ['C:\\Users\\Jo Doe\\srv\\index.js'] },
    file: 'C:\\Users\\Jo Doe\\srv\\index.js',
    dir: 'C:\\Users\\Jo Doe\\srv',
  },
  {
    ...usual,
    about: 'an application in a directory with a space',
    entry: {
      command: '/Applications/My App.app/Contents/MacOS/server',
      args: ['--stdio'],
      cwd: '/Applications/My App.app',
    },
    file: '/Applications/My App.app/Contents/MacOS/server',
    dir: '/Applications/My App.app',
  },
  {
    ...usual,
    about: 'paths below the home directory and relative ones',
    entry: {
      command: 'uv',
      args: ['--directory', '~/src/my server', 'run', './tools/main.py', '../other files/x.py'],
    },
    file: '../other files/x.py',
    dir: '~/src/my server',
  },
  {
    ...usual,
    about: 'a script of a shell',
    entry: { command: 'bash', args: ['-lc', 'cd /x/code && node missing-server.js'] },
    file: '/x/code/missing-server.js',
    dir: '/x/code',
    name: 'missing-server.js',
  },
  ...[
    'ECONNREFUSED 127.0.0.1:5432',
    'DATABASE_URL must be set',
    'Server listening on',
    'Token: required but missing here',
    'no usable configuration was found, see the documentation',
  ].map((words) => ({
    ...usual,
    about: `a script that says "${words}"`,
    entry: { command: 'sh', args: ['-c', saying(words)] },
    words,
  })),
  {
    ...usual,
    about: 'a script with assignments and flags',
    entry: {
      command: 'sh',
      args: [
        '-c',
        'export NODE_ENV=production LOG=debug; exec node --max-old-space-size=4096 /srv/app/server.mjs --root /data/My Files',
      ],
    },
    file: '/srv/app/server.mjs',
    dir: '/data/My Files',
    words: 'NODE_ENV=production --max-old-space-size=4096',
  },
  {
    ...usual,
    about: 'a script that takes secrets from variables',
    entry: { command: 'sh', args: ['-c', 'exec npx -y missing-server --token "$API_TOKEN" --root /opt/servers/files'] },
  },
  {
    ...usual,
    about: 'a program in an argument',
    entry: {
      command: 'node',
      args: ['-e', "console.error('Server listening on'); require('/opt/servers/files/index.js')"],
    },
  },
  {
    ...usual,
    about: 'variables with words',
    entry: {
      command: 'missing-server',
      args: ['customers'],
      env: {
        PGDATABASE: 'customers',
        TITLE: 'Server listening on',
        GREETING: 'connection refused',
        LOG_LEVEL: 'information',
      },
    },
    name: 'customers',
  },
  {
    ...usual,
    about: 'names of packages, modules and images',
    entry: {
      command: 'npx',
      args: ['-y', '@scope/missing-server@latest', 'python3.11', 'mcp/time:latest', 'node20-alpine'],
    },
    name: '@scope/missing-server',
    words: 'python3.11 mcp/time:latest node20-alpine',
  },
  {
    ...usual,
    about: 'addresses',
    entry: {
      command: 'missing-server',
      env: {
        API_URL: 'https://api.example.com/v1/mcp',
        HOST: 'localhost:8080',
        DB: 'postgres://localhost:5432/customers',
      },
    },
    name: 'customers',
    words: 'https://api.example.com/v1/mcp localhost:8080 postgres://localhost:5432/customers',
  },
  {
    ...usual,
    about: 'files of secrets, which are none themselves',
    entry: {
      command: 'missing-server',
      args: ['--key-file', '/etc/My Keys/server.pem', '--no-auth', 'customers'],
      env: {
        GOOGLE_APPLICATION_CREDENTIALS: '/home/a/My Keys/google.json',
        TOKEN_PATH: '~/.config/my token',
        AUTH_URL: 'https://auth.example.com/oauth/authorize',
        GIT_AUTHOR_NAME: 'Ada Lovelace',
      },
    },
    file: '/home/a/My Keys/google.json',
    dir: '/etc/My Keys/server.pem',
    name: 'customers',
    words: '~/.config/my token https://auth.example.com/oauth/authorize Ada Lovelace',
  },
  {
    ...usual,
    about: 'references to directories',
    entry: {
      command: 'node',
      args: ['${ROOT}/index.js', '${ROOT:-/nowhere}'],
      cwd: '${ROOT}',
      env: { BASE: '${ROOT}/x' },
    },
    file: '/home/a/My Projects/root/index.js',
    dir: '/home/a/My Projects/root',
  },
  {
    ...usual,
    about: 'words of other languages',
    entry: {
      command: 'node',
      args: ['/home/jürgen/Meine Projekte/größe.js'],
      env: { TITEL: 'Übersicht über alle Dateien' },
    },
    file: '/home/jürgen/Meine Projekte/größe.js',
    dir: '/home/jürgen/Meine Projekte',
    words: 'Übersicht über alle Dateien',
  },
];

/** The environment of the workbench in these entries. */
export const factualEnvironment = { ROOT: '/home/a/My Projects/root' };
