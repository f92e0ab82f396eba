import { parseArgs } from 'node:util';
import { messageOf } from '../contract/errors.js';

export type Command =
  | { readonly kind: 'serve'; readonly config: string | undefined }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Parses the command line. */
export function parseCommand(argv: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        config: { type: 'string', short: 'c' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
    if (values.help === true) return { kind: 'help' };
    if (values.version === true) return { kind: 'version' };
    if (values.config === '') return { kind: 'invalid', problem: '--config needs the path of a file' };
    return { kind: 'serve', config: values.config };
  } catch (error) {
    return { kind: 'invalid', problem: messageOf(error) };
  }
}

export const help = `mcp-workbench: one MCP server in front of all your MCP servers

Usage: mcp-workbench [--config FILE]

Serves MCP over stdin and stdout. An MCP client starts it; started by hand, it prints only its log.

  -c, --config FILE  the configuration file
  -h, --help         this text
  -v, --version      the version

The configuration file is searched for in this order:
  --config FILE, the variable WORKBENCH_CONFIG, ./workbench-config.json, then the user's file:
  Linux    $XDG_CONFIG_HOME/mcp-workbench/workbench-config.json (default ~/.config)
  macOS    ~/Library/Application Support/mcp-workbench/workbench-config.json
  Windows  %APPDATA%\\mcp-workbench\\workbench-config.json
Without one, the toolbox 'getting-started' explains how to write it.

Exit codes: 0 ended by the client or a signal, 1 unexpected error, 2 wrong usage, 3 invalid configuration
A shutdown that takes longer than 8 s ends by SIGKILL.
`;
