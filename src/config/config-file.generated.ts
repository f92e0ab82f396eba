// Generated from schema.ts by `npm run generate`.

/** Configuration of MCP Workbench. */
export interface WorkbenchConfigFile {
  /** The JSON Schema of this file, for editors. */
  $schema?: string;
  /** The toolboxes, by name. */
  toolboxes: { [name: string]: ToolboxEntry };
  /** How long `open_toolbox` waits for servers to start before it answers, in milliseconds; they go on starting. Default: 45000. */
  openTimeoutMs?: number;
  /** How many characters the listing of `open_toolbox` may have before tools are shown with less detail. Default: 32000. */
  openBudgetChars?: number;
  /** Settings for every server that does not give its own. */
  defaults?: ServerDefaults;
}

/** A named group of servers that are opened together. */
export interface ToolboxEntry {
  /** What the toolbox is for. The agent chooses by this text. */
  description: string;
  /** The servers, by name: the block that other MCP clients use. At least one. */
  mcpServers: { [name: string]: ServerEntry };
}

/** One MCP server: a program to start (`command`) or a remote one (`url`). */
export interface ServerEntry {
  /** How the server is reached. It follows from `command` or `url` and need not be given. */
  type?: 'stdio' | 'http' | 'streamable-http' | 'streamableHttp' | 'sse';
  /** The program to start. It is started directly, without a shell. */
  command?: string;
  /** Arguments of the program. */
  args?: string[];
  /** Environment variables for the program; they win over `envFile`. */
  env?: { [name: string]: string };
  /** A file of `NAME=value` lines with more variables for this server, relative to the configuration file. */
  envFile?: string;
  /** The directory to start the program in, relative to the configuration file. Default: that of the workbench. */
  cwd?: string;
  /** The address of a remote server. */
  url?: string;
  /** HTTP headers for the remote server. */
  headers?: { [name: string]: string };
  /** Which tools to offer: names or globs such as `read_*`. `["*"]` is all of them, `[]` none. Default: ["*"]. */
  toolFilters?: string[];
  /** Leaves the server out without deleting its entry. Default: false. */
  disabled?: boolean;
  /** How long the server may take to start and complete the handshake, in milliseconds. Default: 120000. */
  startTimeoutMs?: number;
  /** How long a call may stay without an answer or a sign of progress, in milliseconds. Default: 60000. */
  callTimeoutMs?: number;
  /** How long a call may take in all, however much progress it reports, in milliseconds. Not given, it is at least `callTimeoutMs`. Default: 600000. */
  callTotalTimeoutMs?: number;
  /** After how long without a call the server is put to sleep, in milliseconds; the next call wakes it. 0 means never. Default: 600000. */
  idleTimeoutMs?: number;
  /** How many calls may run on the server at the same time; further ones wait. Default: 32. */
  maxConcurrentCalls?: number;
  /** How many calls may wait; further ones fail at once. Default: 256. */
  maxQueuedCalls?: number;
  /** The largest message the server may send, in bytes; a larger one fails its call. Default: 67108864. */
  maxMessageBytes?: number;
  /** The largest result that is passed on to the agent, in bytes. Common clients drop the connection above 10 MiB. Default: 9437184. */
  maxResultBytes?: number;
  /** Which MCP revision to speak with the server: `auto` finds out, `legacy` is 2025-11-25 and older. Default: "auto". */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
}

/** Settings for every server that does not give its own. */
export interface ServerDefaults {
  /** How long the server may take to start and complete the handshake, in milliseconds. Default: 120000. */
  startTimeoutMs?: number;
  /** How long a call may stay without an answer or a sign of progress, in milliseconds. Default: 60000. */
  callTimeoutMs?: number;
  /** How long a call may take in all, however much progress it reports, in milliseconds. Not given, it is at least `callTimeoutMs`. Default: 600000. */
  callTotalTimeoutMs?: number;
  /** After how long without a call the server is put to sleep, in milliseconds; the next call wakes it. 0 means never. Default: 600000. */
  idleTimeoutMs?: number;
  /** How many calls may run on the server at the same time; further ones wait. Default: 32. */
  maxConcurrentCalls?: number;
  /** How many calls may wait; further ones fail at once. Default: 256. */
  maxQueuedCalls?: number;
  /** The largest message the server may send, in bytes; a larger one fails its call. Default: 67108864. */
  maxMessageBytes?: number;
  /** The largest result that is passed on to the agent, in bytes. Common clients drop the connection above 10 MiB. Default: 9437184. */
  maxResultBytes?: number;
  /** Which MCP revision to speak with the server: `auto` finds out, `legacy` is 2025-11-25 and older. Default: "auto". */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
}
