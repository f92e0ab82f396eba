import { loadPart } from '../../../platform/load-part.js';
import { addOptions } from '../../commands/edit/add-options.js';
import { correctAdd } from '../../commands/edit/correct-add.js';
import type { Command, Option } from '../command.js';

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
      usage: 'TOOLBOX NAME (URL | -- COMMAND…)',
      summary: 'adds a server to the configuration: a URL, or a program after --',
      words: ['toolbox', 'name', 'argument'],
      needs: 2,
      options: { ...addOptions, ...common, yes: { about: 'do not ask; secrets go to secrets.env' } },
      examples: [
        'mcp-workbench add dev sentry https://mcp.sentry.dev/mcp',
        'mcp-workbench add dev files -- npx -y @modelcontextprotocol/server-filesystem .',
      ],
      correct: (problem, args) => correctAdd(problem, args, { ...addOptions, ...common }),
      load: async () => (await loadPart(() => import('../../commands/edit/add.js'))).runAdd,
    },
    {
      name: 'remove',
      ...ofServer,
      summary: 'removes a server from the configuration, and a toolbox with its last one',
      examples: ['mcp-workbench remove dev sentry', 'mcp-workbench remove dev sentry --dry-run'],
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
      examples: [
        'mcp-workbench move dev postgres data',
        "mcp-workbench move dev figma design --description 'Design files'",
      ],
      load: async () => (await loadPart(() => import('../../commands/edit/move.js'))).runMove,
    },
    {
      name: 'enable',
      ...ofServer,
      summary: 'lets a disabled server be used again',
      examples: ['mcp-workbench enable dev sentry', 'mcp-workbench enable dev sentry --json'],
      load: async () => (await loadPart(() => import('../../commands/edit/switch.js'))).enable,
    },
    {
      name: 'disable',
      ...ofServer,
      summary: 'disables a server; its entry stays',
      examples: ['mcp-workbench disable dev sentry', 'mcp-workbench disable dev sentry --dry-run'],
      load: async () => (await loadPart(() => import('../../commands/edit/switch.js'))).disable,
    },
  ];
}
