import { type Command, groups } from '../command.js';

/** The help of the program. */
export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const grouped = groups.flatMap((group) => {
    const rows = commands.filter((command) => command.group === group);
    return rows.length === 0
      ? []
      : [
          `${group}\n${columns(
            rows.map(({ name, summary }) => [name, summary]),
            width,
          )}`,
        ];
  });
  return `MCP Workbench: your servers sleep until needed, in every client, from one file.

Usage: mcp-workbench COMMAND [TOOLBOX [SERVER [TOOL]]] [options]
       mcp-workbench [--config FILE]

Without a command it serves MCP over stdin and stdout, as clients start it; on
a terminal it shows the state. Names are words of their own; one that begins
with - comes after --.

${grouped.join('\n\n')}

mcp-workbench COMMAND --help shows options and two examples.

  -c, --config FILE  the configuration file
  -h, --help         this text
  -v, --version      the version

The configuration file is searched for in this order: --config FILE, the
variable WORKBENCH_CONFIG, ./workbench-config.json if you trust it
(mcp-workbench trust), then the user's file:
  Linux    $XDG_CONFIG_HOME/mcp-workbench/workbench-config.json
           (default ~/.config)
  macOS    ~/Library/Application Support/mcp-workbench/workbench-config.json
  Windows  %APPDATA%\\mcp-workbench\\workbench-config.json
Without one, the toolbox 'getting-started' explains how to write it.

Sessions share servers, in one host process. With WORKBENCH_SHARED=0, or where
CI is set, each session runs its own; WORKBENCH_SHARED=1 counts for more.

Exit codes:
${columns(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]))}
A shutdown of serve that takes longer than 8 s ends by SIGKILL.
`;
}

const exitCodeMeanings = [
  [0, 'ok, or ended by the client or a signal'],
  [1, 'error, or the tool reported one'],
  [2, 'wrong usage'],
  [3, 'invalid configuration'],
  [4, 'some server is failing'],
  [130, 'interrupted'],
] as const;

/** The help of one command. */
export function commandHelp(command: Command): string {
  const { name, summary, note, examples } = command;
  return `mcp-workbench ${name}: ${summary}

Usage: ${usageOf(command)}
${note === undefined ? '' : `\n${note}\n`}
${columns(optionRows(command))}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}
`;
}

function usageOf({ name, usage }: Command): string {
  return `mcp-workbench ${[name, usage, '[options]'].filter((part) => part !== '').join(' ')}`;
}

function optionRows({ options }: Command): (readonly [string, string])[] {
  return Object.entries(options).map(([option, { value, short, about }]) => [
    `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
}

function columns(rows: readonly (readonly [string, string])[], least = 0): string {
  const width = Math.max(least, ...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
}
