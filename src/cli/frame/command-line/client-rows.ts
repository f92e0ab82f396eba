import { loadPart } from '../../../platform/load-part.js';
import type { Command, Option } from '../command.js';

const file = { value: 'FILE', about: 'the file of the client, if it is not the usual one' } as const;
const project = { about: 'the file that the project in this directory shares by git' } as const;
const takesProject = {
  about: 'also take the servers of the project files in this directory; otherwise it asks',
} as const;
const diff = { about: 'show the change as a diff, with values masked' } as const;

/** What the examples of other commands need. */
export const firstServer = 'mcp-workbench add dev docs https://mcp.context7.com/mcp';

/** The commands that edit files of clients. `common`: the options that most commands have. */
export function clientRows(
  common: Readonly<Record<'config' | 'yes' | 'dry-run' | 'json' | 'no-color' | 'help', Option>>,
): Command[] {
  const { config, ...others } = common;
  return [
    {
      name: 'init',
      group: 'Start',
      usage: '',
      summary: 'finds the servers of all clients, brings them together, and connects the clients',
      words: [],
      options: {
        connect: { value: 'CLIENTS', about: 'all, none, or names such as claude-code,cursor; otherwise it asks' },
        project: takesProject,
        config,
        ...others,
        yes: { about: 'do not ask; connects nothing without --connect' },
      },
      examples: ['mcp-workbench init', 'mcp-workbench init --connect claude-code,cursor --yes'],
      load: async () => (await loadPart(() => import('../../commands/init/init.js'))).runInit,
    },
    {
      name: 'import',
      group: 'Start',
      usage: 'CLIENT|FILE|-',
      summary: 'imports the servers of one client or file; - reads pasted text from stdin',
      words: ['client'],
      needs: 1,
      options: {
        toolbox: { value: 'TOOLBOX', about: 'the toolbox that they go into' },
        project: takesProject,
        config,
        ...others,
      },
      examples: [
        `echo 'claude mcp add context7 -- npx -y @upstash/context7-mcp' | mcp-workbench import - --yes`,
        `echo '{"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}}' | mcp-workbench import - --toolbox dev --dry-run`,
      ],
      load: async () => (await loadPart(() => import('../../commands/edit/import.js'))).runImport,
    },
    {
      name: 'connect',
      group: 'Start',
      usage: '[CLIENT [--http [URL]]]',
      summary: 'adds the workbench to a client, and removes the servers that it serves',
      // As in the table of clients, which takes long to load.
      note: 'CLIENT: claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode, windsurf, zed, copilot, qwen',
      words: ['client', 'address'],
      options: {
        http: { about: 'to a service over HTTP, by default that of the configuration' },
        keep: { about: 'leave the servers of the client where they are' },
        name: { value: 'NAME', about: 'the name of the entry; workbench if it is not given' },
        replace: { about: 'overwrite an entry of that name that is not ours' },
        file,
        project,
        diff,
        print: { about: 'print the entry and write nothing; CLIENT may be json or toml' },
        config,
        ...others,
      },
      examples: [firstServer, 'mcp-workbench connect claude-code --print'],
      load: async () => (await loadPart(() => import('../../commands/clients/connect.js'))).runConnect,
    },
    {
      name: 'disconnect',
      group: 'Start',
      usage: 'CLIENT',
      summary: 'reverts connect: the client gets its servers back',
      words: ['client'],
      options: { file, project, ...others },
      examples: [
        `${firstServer} && mcp-workbench connect cursor --file mcp.json --yes`,
        'mcp-workbench disconnect cursor --file mcp.json --yes',
      ],
      load: async () => (await loadPart(() => import('../../commands/clients/disconnect.js'))).runDisconnect,
    },
    {
      name: 'undo',
      group: 'Start',
      usage: '[N]',
      summary: 'undoes the last change of a file, or one that --list shows',
      words: ['change'],
      options: { list: { about: 'list the changes that can be undone' }, ...others },
      examples: [firstServer, 'mcp-workbench undo --yes'],
      load: async () => (await loadPart(() => import('../../commands/clients/undo.js'))).runUndo,
    },
  ];
}
