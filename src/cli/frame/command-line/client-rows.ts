import { loadPart } from '../../../platform/load-part.js';
import type { Command, Option } from '../command.js';

const file = { value: 'FILE', about: 'the file of the client, if it is not the usual one' } as const;
const project = { about: 'the file that the project in this directory shares by git' } as const;
const diff = { about: 'show the change as a diff, with values masked' } as const;

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
      usage: 'CLIENT|FILE',
      summary: 'takes over the servers of one client or file',
      words: ['client'],
      needs: 1,
      options: {
        toolbox: { value: 'TOOLBOX', about: 'the toolbox that they go into' },
        config,
        ...others,
      },
      examples: ['mcp-workbench import cursor --toolbox web', 'mcp-workbench import ~/code/shop/.mcp.json'],
      load: async () => (await loadPart(() => import('../../commands/edit/import.js'))).runImport,
    },
    {
      name: 'connect',
      group: 'Start',
      usage: '[CLIENT]',
      summary: 'adds the workbench to a client, and takes out the servers that it serves',
      words: ['client'],
      options: {
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
      examples: ['mcp-workbench connect claude-code', 'mcp-workbench connect cursor --dry-run'],
      load: async () => (await loadPart(() => import('../../commands/clients/connect.js'))).runConnect,
    },
    {
      name: 'disconnect',
      group: 'Start',
      usage: 'CLIENT',
      summary: 'undoes that: the servers of the client come back',
      words: ['client'],
      options: { file, project, ...others },
      examples: ['mcp-workbench disconnect claude-code', 'mcp-workbench disconnect cursor --dry-run'],
      load: async () => (await loadPart(() => import('../../commands/clients/disconnect.js'))).runDisconnect,
    },
    {
      name: 'undo',
      group: 'Start',
      usage: '[N]',
      summary: 'undoes the last change of a file, or one that --list shows',
      words: ['change'],
      options: { list: { about: 'list the changes that can be undone' }, ...others },
      examples: ['mcp-workbench undo', 'mcp-workbench undo --list'],
      load: async () => (await loadPart(() => import('../../commands/clients/undo.js'))).runUndo,
    },
  ];
}
