import type { Command } from '../commands/command.js';

/** The help of the program. */
export function generalHelp(commands: readonly Command[]): string {
  return `mcp-workbench: one MCP server in front of all your MCP servers

Usage: mcp-workbench [--config FILE]
       mcp-workbench COMMAND …

Serves MCP over stdin and stdout. An MCP client starts it; started by hand, it prints only its log.

${columns(commands.map(({ name, summary }) => [name, summary]))}

mcp-workbench COMMAND --help shows options and two examples.

  -c, --config FILE  the configuration file
  -h, --help         this text
  -v, --version      the version

The configuration file is searched for in this order:
  --config FILE, the variable WORKBENCH_CONFIG, ./workbench-config.json if you trust it (mcp-workbench trust), then the user's file:
  Linux    $XDG_CONFIG_HOME/mcp-workbench/workbench-config.json (default ~/.config)
  macOS    ~/Library/Application Support/mcp-workbench/workbench-config.json
  Windows  %APPDATA%\\mcp-workbench\\workbench-config.json
Without one, the toolbox 'getting-started' explains how to write it.

Exit codes: 0 well or ended by the client or a signal, 1 error, 2 wrong usage, 3 invalid configuration, 130 interrupted
A shutdown that takes longer than 8 s ends by SIGKILL.
`;
}

/** The help of one command. */
export function commandHelp({ name, usage, summary, options, examples }: Command): string {
  const rows = Object.entries(options).map(([option, { type, short, about }]): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${option}${type === 'string' ? ' FILE' : ''}`,
    about,
  ]);
  return `mcp-workbench ${name}: ${summary}

Usage: ${`mcp-workbench ${name} ${usage}`.trim()} [options]

${columns(rows)}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}
`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
}
