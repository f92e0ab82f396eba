import { loadPart } from '../../platform/load-part.js';
import type { Command } from '../commands/command.js';
import { clientRows } from './client-rows.js';

const config = { short: 'c', value: 'FILE', about: 'the configuration file' } as const;
const json = { about: 'one JSON document on stdout' } as const;
const dryRun = { about: 'show what would be done, and change nothing' } as const;
const noColor = { about: 'no colours' } as const;
const help = { short: 'h', about: 'this text' } as const;
const yes = { about: 'do not ask' } as const;

/** Without a command: serves, or on a terminal shows the state. */
export const general: Command = {
  name: '',
  group: 'Other',
  usage: '',
  summary: 'the state, and the next command',
  words: [],
  options: {
    config,
    json,
    'no-color': noColor,
    help,
    version: { short: 'v', about: 'the version' },
  },
  examples: ['mcp-workbench', 'mcp-workbench --json'],
};

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...clientRows({ config, yes, 'dry-run': dryRun, json, 'no-color': noColor, help }),
  {
    name: 'trust',
    group: 'Use',
    usage: '[FILE|DIRECTORY]',
    summary: 'shows what a configuration in a directory would run, and lets it be used',
    words: ['path'],
    options: { list: { about: 'list what is trusted' }, yes, 'dry-run': dryRun, json, 'no-color': noColor, help },
    examples: ['mcp-workbench trust', 'mcp-workbench trust ~/code/shop --yes'],
    load: () => loadPart(() => import('../commands/trust.js')),
  },
  {
    name: 'untrust',
    group: 'Use',
    usage: '[FILE|DIRECTORY]',
    summary: 'takes that back, also for what no longer exists',
    words: ['path'],
    options: { 'dry-run': dryRun, json, 'no-color': noColor, help },
    examples: ['mcp-workbench untrust', 'mcp-workbench untrust ~/code/shop'],
    load: () => loadPart(() => import('../commands/untrust.js')),
  },
  {
    name: 'serve',
    group: 'Other',
    usage: '',
    summary: 'serves MCP over stdin and stdout; the same without a command, unless stdin is a terminal',
    words: [],
    options: { config, help },
    examples: ['mcp-workbench serve', 'mcp-workbench --config ~/work.json'],
  },
  {
    name: 'version',
    group: 'Other',
    usage: '',
    summary: 'the version',
    words: [],
    options: { json, help },
    examples: ['mcp-workbench version', 'mcp-workbench version --json'],
  },
  {
    name: 'help',
    group: 'Other',
    usage: '[COMMAND]',
    summary: 'this text, or that of a command',
    words: ['command'],
    options: { help },
    examples: ['mcp-workbench help', 'mcp-workbench help trust'],
  },
];
