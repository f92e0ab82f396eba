import { loadPart } from '../../../platform/load-part.js';
import { addOptions } from '../../commands/edit/add-options.js';
import { prepareAdd } from '../../commands/edit/prepare-add.js';
import type { Command, Option } from '../command.js';
import { firstServer } from './client-rows.js';

/** The commands that edit the configuration. `common`: the options that most commands have. */
export function editRows(
  common: Readonly<Record<'config' | 'yes' | 'dry-run' | 'json' | 'no-color' | 'help', Option>>,
): Command[] {
  const { yes: _, ...others } = common;
  const group = 'Change';
  const ofServer = { group, usage: 'TOOLBOX SERVER', words: ['toolbox', 'server'], needs: 2, options: others } as const;
  return [
    {
      name: 'add',
      group,
      usage: 'TOOLBOX NAME (URL | COMMAND…) | PASTED',
      summary: 'adds a server: a URL, a program, or pasted text (JSON, a command, a link)',
      words: ['toolbox', 'name', 'argument'],
      needs: 1,
      options: { ...addOptions, ...common, yes: { about: 'do not ask; secrets go to secrets.env' } },
      examples: [
        'mcp-workbench add dev files npx -y @modelcontextprotocol/server-filesystem .',
        "mcp-workbench add 'claude mcp add --transport http sentry https://mcp.sentry.dev/mcp'",
      ],
      prepare: (args) => prepareAdd(args, { ...addOptions, ...common }),
      load: async () => (await loadPart(() => import('../../commands/edit/add.js'))).runAdd,
    },
    {
      name: 'remove',
      ...ofServer,
      summary: 'removes a server from the configuration, and its toolbox if it was the last one',
      examples: [firstServer, 'mcp-workbench remove dev docs'],
      load: async () => (await loadPart(() => import('../../commands/edit/remove.js'))).runRemove,
    },
    {
      name: 'move',
      group,
      usage: 'TOOLBOX SERVER TOOLBOX2',
      summary: 'moves a server to another toolbox, with its comments',
      words: ['toolbox', 'server', 'toolbox'],
      needs: 3,
      options: { description: addOptions.description, ...others },
      examples: [firstServer, 'mcp-workbench move dev docs web'],
      load: async () => (await loadPart(() => import('../../commands/edit/move.js'))).runMove,
    },
    {
      name: 'group',
      group,
      usage: '[TOOLBOX]',
      summary: 'proposes toolboxes by the purpose of their tools, and describes them',
      words: ['toolbox'],
      options: { offline: { about: 'start no server to see its tools' }, ...common },
      examples: ['mcp-workbench group', 'mcp-workbench group --dry-run'],
      load: async () => (await loadPart(() => import('../../commands/group/group.js'))).runGroup,
    },
    {
      name: 'enable',
      ...ofServer,
      summary: 'enables a disabled server',
      examples: [`${firstServer} && mcp-workbench disable dev docs`, 'mcp-workbench enable dev docs'],
      load: async () => (await loadPart(() => import('../../commands/edit/switch.js'))).enable,
    },
    {
      name: 'disable',
      ...ofServer,
      summary: 'disables a server; its entry stays',
      examples: [firstServer, 'mcp-workbench disable dev docs'],
      load: async () => (await loadPart(() => import('../../commands/edit/switch.js'))).disable,
    },
  ];
}
