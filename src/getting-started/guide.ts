import { builtInSettings } from '../limits.js';

/** A minimal configuration to copy. */
export const minimalExample = `{
  "toolboxes": {
    "dev": {
      "description": "Files of the current project",
      "mcpServers": {
        "filesystem": {
          "command": "npx",
          "args": ["-y", "@modelcontextprotocol/server-filesystem", "\${PROJECT_ROOT:-.}"],
          "toolFilters": ["read_*", "list_directory"]
        }
      }
    }
  }
}`;

const overview = `MCP Workbench puts your MCP servers into named toolboxes, in one file:

${minimalExample}

A toolbox needs at least one server, and should have a description: you choose a toolbox by it. "mcpServers" is the standard MCP block: paste it from any client.
The blocks of other clients ("servers", "mcp", "context_servers", "mcp_servers") work as well, also as the whole file.
A server needs a "command" (with "args", "env", "envFile", "cwd") or a "url" (with "headers", "envFile", and
"type": "http" or "sse" if it has to be said). "disabled": true disables it.
Comments and trailing commas are allowed. Check the text with the tool check_configuration before you save it. A running
workbench reads the file again within two seconds of every edit; an edit with a fault is not used.`;

const location = `Where the file is searched for; the first one that exists is used:
1. the file named by --config FILE
2. the file named by the environment variable WORKBENCH_CONFIG
3. workbench-config.json in the working directory of the workbench, if the user trusts it: mcp-workbench trust
4. workbench-config.json in the folder mcp-workbench of the user's configuration directory: $XDG_CONFIG_HOME or ~/.config on Linux,
   ~/Library/Application Support on macOS, %APPDATA% on Windows
A named file (1, 2) must exist. Without any file the workbench serves the toolbox getting-started, which you are using.`;

const variables = `Variables work in every string of a server entry:
  \${NAME}            the value of NAME; if it is not set, this server is unavailable and the others work
  \${NAME:-default}   the same with a literal default; a variable that is set but empty stays empty
  \${file:PATH}       the text of a file; \${workspaceFolder} and \${userHome} are directories, \${input:ID} is the variable INPUT_ID
  $\${                a literal \${
Keep secrets out of the file: put them into the environment of the workbench, into an "envFile" (lines of NAME=value) of the server, the
toolbox or the file, or let a program print them: "envCommand": ["op", "inject", "-i", "tokens.tpl"].
Servers do not inherit the whole environment: they get PATH, HOME, locale and similar variables, the ones that "env_vars" names, and those
of "envFile", "envCommand" and "env".`;

const filters = `"toolFilters" of a server selects the tools that the agent can see and call:
  absent or ["*"]                      all
  ["read_*", "list_directory"]         these names and patterns; * matches any characters
  []                                   none
"excludeTools" has the same form: what it matches is not offered.`;

const setting = (name: keyof typeof builtInSettings, meaning: string) =>
  `  ${name.padEnd(20)} ${meaning}; default ${builtInSettings[name]}`;

const limits = `Settings of a server; "defaults" at top level sets them for all servers:
${setting('startTimeoutMs', 'start-up time')}
${setting('callTimeoutMs', 'time a call may take without progress')}
${setting('callTotalTimeoutMs', 'time a call may take in total')}
${setting('idleTimeoutMs', 'idle time after which the server is stopped until the next call, 0 is never')}
${setting('maxConcurrentCalls', 'calls at the same time')}
${setting('maxQueuedCalls', 'calls that may wait')}
${setting('maxMessageBytes', 'largest message read from it')}
${setting('maxResultBytes', 'largest result passed on to the agent')}
At top level:
${setting('openTimeoutMs', 'time open_toolbox waits for slow servers')}
${setting('openBudgetChars', 'largest response of open_toolbox, in characters')}
${setting('runnerRefreshMs', 'how long the version behind a tag of an npx package is kept; 0: for ever')}`;

/** The topics, in the order of the whole guide. */
const topics = { overview, location, variables, filters, limits };

type Topic = keyof typeof topics;

export const topicNames = [
  'overview',
  'location',
  'variables',
  'filters',
  'limits',
] as const satisfies readonly Topic[];

export function isTopic(value: unknown): value is Topic {
  return typeof value === 'string' && Object.hasOwn(topics, value);
}

/** One topic, or all of them. */
export function guide(topic: Topic | undefined): string {
  return topic === undefined ? Object.values(topics).join('\n\n') : topics[topic];
}
