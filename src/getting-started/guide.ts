import { builtInSettings } from '../config/settings.js';

/** A configuration as small as it gets, to copy. */
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

A toolbox needs a description and at least one server. "mcpServers" is the standard MCP block: paste it from any client.
A server needs a "command" (with "args", "env", "envFile", "cwd") or a "url" (with "headers"). "disabled": true leaves it out.
Comments and trailing commas are allowed. Check a text with the tool check_configuration before you save it; then restart the
workbench (in most clients: reconnect the MCP server), because it reads the file when it starts.`;

const location = `Where the file is looked for; the first that is found is used:
1. the file named by --config FILE
2. the file named by the variable WORKBENCH_CONFIG
3. workbench-config.json in the directory the workbench runs in
4. workbench-config.json in the folder mcp-workbench of the user's configuration directory: $XDG_CONFIG_HOME or ~/.config on Linux,
   ~/Library/Application Support on macOS, %APPDATA% on Windows
A file that is named (1, 2) must exist. With no file at all the workbench serves the toolbox getting-started, which you are using.`;

const variables = `Variables work in every string of a server entry:
  \${NAME}            the value of NAME; if it is not set, only this server is unavailable, and says so
  \${NAME:-default}   with a default, taken as it is; a set but empty variable is empty
  $\${                stands for a literal \${
Keep secrets out of the file: put them into the environment of the workbench, or into an "envFile" (lines of NAME=value) of the server.
Servers do not inherit the whole environment, only PATH, HOME, locale and the like, and what their entry gives in "env" or "envFile".`;

const filters = `"toolFilters" of a server says which of its tools exist for the agent, in listings and in calls:
  absent or ["*"]                      all
  ["read_*", "list_directory"]         these names and patterns; * stands for any characters
  []                                   none`;

const setting = (name: keyof typeof builtInSettings, meaning: string) =>
  `  ${name.padEnd(20)} ${meaning}; default ${builtInSettings[name]}`;

const limits = `Settings of a server; "defaults" at top level gives them for all servers:
${setting('startTimeoutMs', 'how long it may take to start')}
${setting('callTimeoutMs', 'how long a call may go without a sign of progress')}
${setting('callTotalTimeoutMs', 'how long a call may take in all')}
${setting('idleTimeoutMs', 'an unused server goes back to sleep after this, 0 is never')}
${setting('maxConcurrentCalls', 'calls at the same time')}
${setting('maxQueuedCalls', 'calls that may wait for their turn')}
${setting('maxMessageBytes', 'largest message read from it')}
${setting('maxResultBytes', 'largest result passed on to the agent')}
At top level:
${setting('openTimeoutMs', 'how long open_toolbox waits for slow servers')}
${setting('openBudgetChars', 'most characters in an answer of open_toolbox')}`;

/** What can be asked about, in the order it is told. */
const topics = { overview, location, variables, filters, limits };

type Topic = keyof typeof topics;

export const topicNames = [
  'overview',
  'location',
  'variables',
  'filters',
  'limits',
] as const satisfies readonly Topic[];

/** The chapter asked for, or all of them. */
export function guide(topic: Topic | undefined): string {
  return topic === undefined ? Object.values(topics).join('\n\n') : topics[topic];
}
