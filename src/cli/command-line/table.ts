import { loadPart } from '../../platform/load-part.js';
import type { Command } from '../commands/command.js';

const json = { type: 'boolean', about: 'one JSON document on stdout' } as const;
const dryRun = { type: 'boolean', about: 'show what would be done, and change nothing' } as const;
const color = { type: 'boolean', about: 'no colours' } as const;
const help = { type: 'boolean', short: 'h', about: 'this text' } as const;
const yes = { type: 'boolean', about: 'do not ask' } as const;

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: '[--config FILE]',
    summary: 'serves MCP over stdin and stdout; the same without a command',
    maxWords: 0,
    options: { config: { type: 'string', short: 'c', about: 'the configuration file' }, help },
    examples: ['mcp-workbench serve', 'mcp-workbench --config ~/work.json'],
  },
  {
    name: 'trust',
    usage: '[FILE|DIRECTORY]',
    summary: 'shows what a configuration in a directory would run, and lets it be used',
    maxWords: 1,
    options: {
      list: { type: 'boolean', about: 'list what is trusted' },
      yes,
      'dry-run': dryRun,
      json,
      'no-color': color,
      help,
    },
    examples: ['mcp-workbench trust', 'mcp-workbench trust ~/code/shop --yes'],
    load: () => loadPart(() => import('../commands/trust.js')),
  },
  {
    name: 'untrust',
    usage: '[FILE|DIRECTORY]',
    summary: 'takes that back, also for what no longer exists',
    maxWords: 1,
    options: { 'dry-run': dryRun, json, 'no-color': color, help },
    examples: ['mcp-workbench untrust', 'mcp-workbench untrust ~/code/shop'],
    load: () => loadPart(() => import('../commands/untrust.js')),
  },
  {
    name: 'auth',
    usage: '[TOOLBOX SERVER]',
    summary: 'logs in at a remote server; without names, lists who needs a login and who has one',
    maxWords: 2,
    options: {
      'no-browser': { type: 'boolean', about: 'print the address instead, and take the redirect that you paste' },
      logout: { type: 'boolean', about: 'remove the login, and revoke it where the server can' },
      config: { type: 'string', short: 'c', about: 'the configuration file' },
      json,
      'no-color': color,
      help,
    },
    examples: ['mcp-workbench auth dev linear', 'mcp-workbench auth --logout dev linear'],
    load: () => loadPart(() => import('../commands/auth.js')),
  },
  {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'this text, or that of a command',
    maxWords: 1,
    options: { help },
    examples: ['mcp-workbench help', 'mcp-workbench help trust'],
  },
  {
    name: 'version',
    usage: '',
    summary: 'the version',
    maxWords: 0,
    options: { json, help },
    examples: ['mcp-workbench version', 'mcp-workbench version --json'],
  },
];
