import { loadPart } from '../../platform/load-part.js';
import type { Command } from '../commands/command.js';
import { clientRows } from './client-rows.js';
import { editRows } from './edit-rows.js';

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
  load: () => loadPart(() => import('../commands/status.js')),
};

const common = { config, yes, 'dry-run': dryRun, json, 'no-color': noColor, help };

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...clientRows(common),
  {
    name: 'list',
    group: 'See',
    usage: '[TOOLBOX [SERVER]]',
    summary: 'toolboxes, servers, their state and tools; starts nothing',
    words: ['toolbox', 'server'],
    options: { config, json, 'no-color': noColor, help },
    examples: ['mcp-workbench list', 'mcp-workbench list dev github --json'],
    load: () => loadPart(() => import('../commands/list.js')),
  },
  {
    name: 'tools',
    group: 'See',
    usage: '[TOOLBOX [SERVER [TOOL]]]',
    summary: 'how tools are called; one in full',
    words: ['toolbox', 'server', 'tool'],
    options: {
      search: { value: 'WORDS', about: 'the tools that fit these words best' },
      offline: { about: 'never start a server, also if its tools are not known yet' },
      config,
      json,
      'no-color': noColor,
      help,
    },
    examples: ['mcp-workbench tools dev github', "mcp-workbench tools --search 'create an issue'"],
    load: () => loadPart(() => import('../commands/tools.js')),
  },
  {
    name: 'doctor',
    group: 'See',
    usage: '[TOOLBOX [SERVER]]',
    summary: 'starts every server once, and says how it is or what is wrong with it',
    words: ['toolbox', 'server'],
    options: {
      hints: { about: 'list also what works, but is unwise' },
      config,
      json,
      'no-color': noColor,
      help,
    },
    examples: ['mcp-workbench doctor', 'mcp-workbench doctor data postgres'],
    load: () => loadPart(() => import('../commands/doctor.js')),
  },
  {
    name: 'logs',
    group: 'See',
    usage: '[TOOLBOX SERVER]',
    summary: 'what a server wrote, or the log of the workbench itself',
    words: ['toolbox', 'server'],
    options: {
      follow: { short: 'f', about: 'go on with new lines until Ctrl-C' },
      lines: { short: 'n', value: 'N', about: 'how many lines; 50 by default' },
      config,
      json,
      'no-color': noColor,
      help,
    },
    examples: ['mcp-workbench logs', 'mcp-workbench logs dev github -f'],
    load: () => loadPart(() => import('../commands/logs.js')),
  },
  ...editRows(common),
  {
    name: 'validate',
    group: 'Change',
    usage: '[FILE]',
    summary: 'checks a configuration file, and names every fault with its place',
    words: ['path'],
    options: { config, json, 'no-color': noColor, help },
    examples: ['mcp-workbench validate', 'mcp-workbench validate ~/work.json --json'],
    load: () => loadPart(() => import('../commands/validate.js')),
  },
  {
    name: 'call',
    group: 'Use',
    usage: 'TOOLBOX SERVER TOOL [key=value …]',
    summary: 'calls a tool; key:=JSON forces JSON, key=@FILE reads a file',
    words: ['toolbox', 'server', 'tool', 'argument'],
    needs: 3,
    options: {
      args: { value: 'JSON', about: 'all arguments as JSON, as @FILE, or - for stdin; key=value goes on top' },
      save: { value: 'DIR', about: 'keep images, audio and other data as new files in a directory' },
      config,
      json,
      'no-color': noColor,
      help,
    },
    examples: [
      'mcp-workbench call dev github get_issue owner=nodejs repo=node issue_number=1',
      "mcp-workbench call 'my box' fs read_file path=README.md --json",
    ],
    load: () => loadPart(() => import('../commands/call.js')),
  },
  {
    name: 'trust',
    group: 'Use',
    usage: '[FILE|DIRECTORY]',
    summary: 'shows what a configuration would run, and lets it be used',
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
    name: 'auth',
    group: 'Use',
    usage: '[TOOLBOX SERVER]',
    summary: 'logs in at a remote server; without names, lists who needs a login and who has one',
    words: ['toolbox', 'server'],
    options: {
      'no-browser': { about: 'print the address instead, and take the redirect that you paste' },
      logout: { about: 'remove the login, and revoke it where the server can' },
      config,
      json,
      'no-color': noColor,
      help,
    },
    examples: ['mcp-workbench auth dev linear', 'mcp-workbench auth --logout dev linear'],
    load: () => loadPart(() => import('../commands/auth.js')),
  },
  {
    name: 'serve',
    group: 'Other',
    usage: '',
    summary: 'serves MCP over stdin and stdout, as clients start it',
    words: [],
    options: { config, help },
    examples: ['mcp-workbench serve', 'mcp-workbench --config ~/work.json'],
  },
  {
    name: 'completion',
    group: 'Other',
    usage: 'bash|zsh|fish',
    summary: 'completion of commands, options and names for a shell',
    words: ['shell', 'argument'],
    needs: 1,
    options: {
      candidates: { about: 'what could come next after the words that follow --; the scripts use it' },
      config,
      json,
      help,
    },
    examples: ['eval "$(mcp-workbench completion bash)"', 'mcp-workbench completion fish | source'],
    load: () => loadPart(() => import('../commands/completion.js')),
  },
  {
    name: 'schema',
    group: 'Other',
    usage: '',
    summary: 'the JSON Schema of the configuration file',
    words: [],
    options: { json, help },
    examples: ['mcp-workbench schema', 'mcp-workbench schema > workbench-config.schema.json'],
    load: () => loadPart(() => import('../commands/schema.js')),
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
    options: { json, help },
    examples: ['mcp-workbench help', 'mcp-workbench help trust'],
  },
];
