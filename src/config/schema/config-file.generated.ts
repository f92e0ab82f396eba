// Generated from schema.ts by `npm run generate`.

/** Configuration of MCP Workbench. */
export interface WorkbenchConfigFile {
  /** The JSON Schema of this file, for editors. */
  $schema?: string;
  /** A file of `NAME=value` lines with variables for all servers of this file, relative to the configuration file. */
  envFile?: string;
  /** How long `open_toolbox` and calls wait for servers to start, in milliseconds; slower ones keep starting. Once one is ready, `open_toolbox` waits until no other has become ready for 5 s. Default: 45000. */
  openTimeoutMs?: number;
  /** The largest response of `open_toolbox`, in characters; a longer listing is shown with less detail. Without it, Cline and Copilot CLI get as much as they show: 7000 characters and 20000 bytes. Default: 20000. */
  openBudgetChars?: number;
  /** The largest result of a tool that is sent whole, in characters; of a larger one the agent gets an outline, and calls to read the rest. 0 means never. Without it, what the client shows, for clients that are known. See [results](results.md). */
  resultBudgetChars?: number;
  /** How long a call may take before it is answered with an id, with which the agent waits for its result, in milliseconds; 0 means for ever. Without it, 10 seconds less than the client waits, for clients that are known. See [long calls](long-calls.md). */
  answerWithinMs?: number;
  /** Whether sessions share servers, in one host process. See [sharing](sharing.md). Default: true. */
  shared?: boolean;
  /** How agents are served over HTTP; sessions on stdio ignore it. See [HTTP](http.md#the-file). */
  http?: HttpEntry;
  /** How long the version of a package with a tag, such as `@latest`, is used before npm is asked for a newer one, in milliseconds; 0 means for ever. See [package runners](runners.md). Default: 3600000. */
  runnerRefreshMs?: number;
  /** Settings for all servers; a server entry can override them. */
  defaults?: ServerDefaults;
  /** The toolboxes, by name. */
  toolboxes?: { [name: string]: ToolboxEntry };
  /** Of a file with servers and without toolboxes: the purpose of the toolbox `default`, which has them. */
  description?: string;
  /** The servers, by name, as in the `mcpServers` block of other MCP clients. At least one. */
  mcpServers?: { [name: string]: ServerEntry };
  /** The servers, as VS Code writes them. */
  servers?: { [name: string]: ServerEntry };
  /** The servers, as Zed writes them. */
  context_servers?: { [name: string]: ZedServerEntry };
  /** The servers, as opencode writes them, also inside of `servers`. */
  mcp?: { [name: string]: ServerEntry } | McpBlock;
  /** The same, as one key. */
  'mcp.servers'?: { [name: string]: ServerEntry };
  /** The servers, as Codex writes them. */
  mcp_servers?: { [name: string]: ServerEntry };
  /** What VS Code asks the user for. It has no effect: see `${input:…}`. */
  inputs?: unknown[];
}

/** How agents are served over HTTP; sessions on stdio ignore it. See [HTTP](http.md#the-file). */
export interface HttpEntry {
  /** Where to listen, as `HOST:PORT`. Other addresses than loopback need `auth` and an https `url`. Default: "127.0.0.1:4760". */
  listen?: string;
  /** The URL as clients see it, such as that of a proxy that ends TLS. Its path is the endpoint; without it `/mcp`. Needed unless `listen` is loopback. */
  url?: string;
  /** Who may call. Without it, one person, with a token of the service. */
  auth?: HttpAuthEntry;
  /** Web pages that may call, by their origins: `https://app.example.com`. Default: []. */
  origins?: string[];
  /** Limits that protect users from each other. */
  limits?: HttpLimitsEntry;
}

/** Who may call. Without it, one person, with a token of the service. */
export interface HttpAuthEntry {
  /** The authorization server whose tokens are accepted, exactly as it names itself. */
  issuer: string;
  /** The audience that every token needs. If not set, `url`. */
  audience?: string;
  /** How tokens may be signed. Algorithms with a shared secret cannot be written. Default: ["RS256","ES256","EdDSA"]. */
  algorithms?: ('RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'Ed25519')[];
  /** Scopes that every token needs. Default: []. */
  scopes?: string[];
  /** Claims that every token needs, each with one of these values: `{ "groups": ["dev", "ops"] }`. Without it, everybody whom the issuer knows may call. */
  require?: { [name: string]: string[] };
  /** Claims that entries may name, as in `${claim:email}`. Default: []. */
  claims?: string[];
  /** A client of the issuer, with which users prove in a browser whose call it is. They need it to log in at remote servers. */
  login?: HttpLoginEntry;
}

/** A client of the issuer, with which users prove in a browser whose call it is. They need it to log in at remote servers. */
export interface HttpLoginEntry {
  /** The id of a client that is registered with the issuer for this service. */
  clientId: string;
  /** Its secret, if it has one. Take it from a variable: `${NAME}`. */
  clientSecret?: string;
}

/** Limits that protect users from each other. */
export interface HttpLimitsEntry {
  /** Requests of one user in a second, on average; twice as many may come at once. Default: 50. */
  requestsPerSecond?: number;
  /** Requests of one user that may run at the same time. Default: 256. */
  inFlight?: number;
  /** Processes of servers that one user may have. Default: 20. */
  processesPerUser?: number;
  /** Processes of servers of all users together. Default: 500. */
  processes?: number;
}

/** Settings for all servers; a server entry can override them. */
export interface ServerDefaults {
  /** How long the server may take to start and complete the handshake, in milliseconds. Default: 120000. */
  startTimeoutMs?: number;
  /** How long a call may take without a response or a progress notification, in milliseconds. Default: 300000. */
  callTimeoutMs?: number;
  /** How long a call may take in total, with or without progress notifications, in milliseconds. If not set, at least `callTimeoutMs`. Default: 3600000. */
  callTotalTimeoutMs?: number;
  /** How long the server may be idle before it is stopped, in milliseconds; the next call starts it again. 0 means never. Default: 600000. */
  idleTimeoutMs?: number;
  /** How many calls may run on the server at the same time; further calls wait. Default: 32. */
  maxConcurrentCalls?: number;
  /** How many calls may wait; further calls fail at once. Default: 256. */
  maxQueuedCalls?: number;
  /** The largest message the server may send, in bytes; a larger one fails its call. Default: 67108864. */
  maxMessageBytes?: number;
  /** The largest result that is passed on to the agent, in bytes. Common clients close the connection above 10 MiB. Default: 9437184. */
  maxResultBytes?: number;
  /** Offers the server the client's roots: the directories that the client works in. Some servers use them instead of the directories in their `args`. Every session then has a process of its own, as with `perSession`. Default: false. */
  roots?: boolean;
  /** Gives every session a process of its own: for servers that keep a state which sessions must not share, such as a browser. See [sharing](sharing.md). Default: false. */
  perSession?: boolean;
  /** Whether a server of `npx` is started from its file: npm is asked for it once. `false` starts it as written. See [package runners](runners.md). Default: true. */
  resolve?: boolean;
  /** What happens when the server changes its tools after they were approved, or seen for the first time: `note` says so once, `strict` blocks changed and new tools until `mcp-workbench approve`, `off` compares nothing. See [lock](security.md#lock). Default: "note". */
  lock?: 'note' | 'strict' | 'off';
  /** The MCP revision to use with the server: `auto` detects it, `legacy` is 2025-11-25 and older. Default: "auto". */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /** A file of `NAME=value` lines with variables for the server, relative to the configuration file. */
  envFile?: string;
  /** A program and its arguments, run without a shell each time the server starts. It prints variables for the server: `NAME=value` lines, or one JSON object of strings. See [secrets](#secrets). */
  envCommand?: string[];
  /** Names of variables of the workbench that the server gets as well, such as `AWS_PROFILE`. */
  env_vars?: string[];
  /** Tools that do not exist for the agent: names, globs, `@write` (not `readOnlyHint`) or `@destructive` (nor `destructiveHint: false`). Added to those of `defaults`. See [rules](security.md#rules). */
  deny?: string[];
  /** Tools that are called only after a person has agreed to the call, in the same form. Added to those of `defaults`. */
  ask?: string[];
  /** Exceptions to `ask`, as names or globs. Those of a server also hold for `ask` of `defaults`. */
  allow?: string[];
}

/** A named group of servers that are opened together. */
export interface ToolboxEntry {
  /** The purpose of the toolbox. The agent chooses a toolbox by this text; without one, by the names of its servers. */
  description?: string;
  /** A file of `NAME=value` lines with variables for all servers of this toolbox, relative to the configuration file. */
  envFile?: string;
  /** The servers, by name, as in the `mcpServers` block of other MCP clients. At least one. */
  mcpServers?: { [name: string]: ServerEntry };
  /** The servers, as VS Code writes them. */
  servers?: { [name: string]: ServerEntry };
  /** The servers, as Zed writes them. */
  context_servers?: { [name: string]: ZedServerEntry };
  /** The servers, as opencode writes them, also inside of `servers`. */
  mcp?: { [name: string]: ServerEntry } | McpBlock;
  /** The same, as one key. */
  'mcp.servers'?: { [name: string]: ServerEntry };
  /** The servers, as Codex writes them. */
  mcp_servers?: { [name: string]: ServerEntry };
  /** What VS Code asks the user for. It has no effect: see `${input:…}`. */
  inputs?: unknown[];
}

/** One MCP server: a program to start (`command`) or a remote server (`url`). */
export interface ServerEntry {
  /** The transport, in the words of any client. Optional: `command` or `url` implies it. */
  type?: 'stdio' | 'local' | 'http' | 'streamable-http' | 'streamableHttp' | 'streamable_http' | 'sse' | 'remote';
  /** The same as `type`, or an object with `type`, `url` and `headers`. */
  transport?: 'stdio' | 'local' | 'http' | 'streamable-http' | 'streamableHttp' | 'streamable_http' | 'sse' | 'remote' | TransportEntry;
  /** The program to start, or a list of the program and its arguments. It is started directly, without a shell. */
  command?: string | string[];
  /** Arguments of the program. */
  args?: string[];
  /** Environment variables for the program; they override those of `envFile` and `envCommand`. */
  env?: { [name: string]: string };
  /** The working directory of the program, relative to the configuration file. Default: that of the workbench. */
  cwd?: string;
  /** The URL of a remote server. */
  url?: string;
  /** The URL of a remote server that speaks Streamable HTTP. */
  httpUrl?: string;
  /** The same as `url`. */
  serverUrl?: string;
  /** HTTP headers for the remote server. */
  headers?: { [name: string]: string };
  /** How to log in at the remote server, if it needs more than the server itself offers. `false`, as opencode writes it: no login. */
  oauth?: false | OAuthEntry;
  /** Which tools to offer: names or globs such as `read_*`. `["*"]` is all of them, `[]` none. Default: ["*"]. */
  toolFilters?: string[];
  /** Tools that are not offered, as names or globs; it wins over `toolFilters`. */
  excludeTools?: string[];
  /** Shares the server between all users of agents over HTTP: for one that has neither a state nor credentials of a user. See [HTTP](http.md#what-users-share). Default: false. */
  forEveryone?: boolean;
  /** Disables the server without deleting its entry. Default: false. */
  disabled?: boolean;
  /** How long the server may take to start and complete the handshake, in milliseconds. Default: 120000. */
  startTimeoutMs?: number;
  /** How long a call may take without a response or a progress notification, in milliseconds. Default: 300000. */
  callTimeoutMs?: number;
  /** How long a call may take in total, with or without progress notifications, in milliseconds. If not set, at least `callTimeoutMs`. Default: 3600000. */
  callTotalTimeoutMs?: number;
  /** How long the server may be idle before it is stopped, in milliseconds; the next call starts it again. 0 means never. Default: 600000. */
  idleTimeoutMs?: number;
  /** How many calls may run on the server at the same time; further calls wait. Default: 32. */
  maxConcurrentCalls?: number;
  /** How many calls may wait; further calls fail at once. Default: 256. */
  maxQueuedCalls?: number;
  /** The largest message the server may send, in bytes; a larger one fails its call. Default: 67108864. */
  maxMessageBytes?: number;
  /** The largest result that is passed on to the agent, in bytes. Common clients close the connection above 10 MiB. Default: 9437184. */
  maxResultBytes?: number;
  /** Offers the server the client's roots: the directories that the client works in. Some servers use them instead of the directories in their `args`. Every session then has a process of its own, as with `perSession`. Default: false. */
  roots?: boolean;
  /** Gives every session a process of its own: for servers that keep a state which sessions must not share, such as a browser. See [sharing](sharing.md). Default: false. */
  perSession?: boolean;
  /** Whether a server of `npx` is started from its file: npm is asked for it once. `false` starts it as written. See [package runners](runners.md). Default: true. */
  resolve?: boolean;
  /** What happens when the server changes its tools after they were approved, or seen for the first time: `note` says so once, `strict` blocks changed and new tools until `mcp-workbench approve`, `off` compares nothing. See [lock](security.md#lock). Default: "note". */
  lock?: 'note' | 'strict' | 'off';
  /** The MCP revision to use with the server: `auto` detects it, `legacy` is 2025-11-25 and older. Default: "auto". */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /** A file of `NAME=value` lines with variables for the server, relative to the configuration file. */
  envFile?: string;
  /** A program and its arguments, run without a shell each time the server starts. It prints variables for the server: `NAME=value` lines, or one JSON object of strings. See [secrets](#secrets). */
  envCommand?: string[];
  /** Names of variables of the workbench that the server gets as well, such as `AWS_PROFILE`. */
  env_vars?: string[];
  /** Tools that do not exist for the agent: names, globs, `@write` (not `readOnlyHint`) or `@destructive` (nor `destructiveHint: false`). Added to those of `defaults`. See [rules](security.md#rules). */
  deny?: string[];
  /** Tools that are called only after a person has agreed to the call, in the same form. Added to those of `defaults`. */
  ask?: string[];
  /** Exceptions to `ask`, as names or globs. Those of a server also hold for `ask` of `defaults`. */
  allow?: string[];
  /** The same as `env`. */
  environment?: { [name: string]: string };
  /** The same as `headers`. */
  http_headers?: { [name: string]: string };
  /** HTTP headers whose values are in variables: the name of the variable for each. */
  env_http_headers?: { [name: string]: string };
  /** The name of a variable with a token for the header `Authorization: Bearer …`. */
  bearer_token_env_var?: string;
  /** The opposite of `disabled`. */
  enabled?: boolean;
  /** The same as `toolFilters`. */
  includeTools?: string[];
  /** The same as `toolFilters`. */
  enabled_tools?: string[];
  /** The same as `toolFilters`. */
  tools?: string[];
  /** The same as `excludeTools`. */
  disabled_tools?: string[];
  /** The same as `excludeTools`. */
  disabledTools?: string[];
  /** `startTimeoutMs` in seconds. */
  startup_timeout_sec?: number;
  /** `callTimeoutMs` in seconds. */
  tool_timeout_sec?: number;
  /** `callTimeoutMs`. Under `context_servers` it is in seconds, else in milliseconds. */
  timeout?: number;
}

/** The transport of a server as an object. */
export interface TransportEntry {
  /** The transport. */
  type?: 'stdio' | 'local' | 'http' | 'streamable-http' | 'streamableHttp' | 'streamable_http' | 'sse' | 'remote';
  /** The URL of a remote server. */
  url?: string;
  /** HTTP headers for the remote server; `headers` of the entry override them. */
  headers?: { [name: string]: string };
}

/** How to log in at a remote server. Without it, whatever the server and its authorization server offer. */
export interface OAuthEntry {
  /** The id of a client that is registered with the authorization server. */
  clientId?: string;
  /** Its secret, if it has one. Take it from a variable: `${NAME}`. */
  clientSecret?: string;
  /** The https URL of a Client ID Metadata Document. It is the client id, where the authorization server supports that. */
  clientMetadataUrl?: string;
  /** The authorization server that the client is registered with. Its secret is sent to no other. */
  issuer?: string;
  /** Hosts of one provider, such as `["login.example.com", "api.example.com"]`: its login page may be on one and its token endpoint on another. Only needed where a login is refused for that. */
  hosts?: string[];
  /** The port that the browser is sent back to. Register `http://localhost:PORT/callback` as the redirect. If not set: `http://127.0.0.1:PORT/callback` with any free port. */
  callbackPort?: number;
  /** The scopes to ask for, instead of the ones that the server names. */
  scopes?: string[];
  /** `client_credentials` is for machines: no user logs in; `clientId` and `clientSecret` are needed. `none`: no login at this server. Default: "authorization_code". */
  grant?: 'authorization_code' | 'client_credentials' | 'none';
}

/** One MCP server: a program to start (`command`) or a remote server (`url`). */
export interface ZedServerEntry {
  /** The transport, in the words of any client. Optional: `command` or `url` implies it. */
  type?: 'stdio' | 'local' | 'http' | 'streamable-http' | 'streamableHttp' | 'streamable_http' | 'sse' | 'remote';
  /** The same as `type`, or an object with `type`, `url` and `headers`. */
  transport?: 'stdio' | 'local' | 'http' | 'streamable-http' | 'streamableHttp' | 'streamable_http' | 'sse' | 'remote' | TransportEntry;
  /** The program to start, or a list of the program and its arguments. It is started directly, without a shell. */
  command?: string | string[];
  /** Arguments of the program. */
  args?: string[];
  /** Environment variables for the program; they override those of `envFile` and `envCommand`. */
  env?: { [name: string]: string };
  /** The working directory of the program, relative to the configuration file. Default: that of the workbench. */
  cwd?: string;
  /** The URL of a remote server. */
  url?: string;
  /** The URL of a remote server that speaks Streamable HTTP. */
  httpUrl?: string;
  /** The same as `url`. */
  serverUrl?: string;
  /** HTTP headers for the remote server. */
  headers?: { [name: string]: string };
  /** How to log in at the remote server, if it needs more than the server itself offers. `false`, as opencode writes it: no login. */
  oauth?: false | OAuthEntry;
  /** Which tools to offer: names or globs such as `read_*`. `["*"]` is all of them, `[]` none. Default: ["*"]. */
  toolFilters?: string[];
  /** Tools that are not offered, as names or globs; it wins over `toolFilters`. */
  excludeTools?: string[];
  /** Shares the server between all users of agents over HTTP: for one that has neither a state nor credentials of a user. See [HTTP](http.md#what-users-share). Default: false. */
  forEveryone?: boolean;
  /** Disables the server without deleting its entry. Default: false. */
  disabled?: boolean;
  /** How long the server may take to start and complete the handshake, in milliseconds. Default: 120000. */
  startTimeoutMs?: number;
  /** How long a call may take without a response or a progress notification, in milliseconds. Default: 300000. */
  callTimeoutMs?: number;
  /** How long a call may take in total, with or without progress notifications, in milliseconds. If not set, at least `callTimeoutMs`. Default: 3600000. */
  callTotalTimeoutMs?: number;
  /** How long the server may be idle before it is stopped, in milliseconds; the next call starts it again. 0 means never. Default: 600000. */
  idleTimeoutMs?: number;
  /** How many calls may run on the server at the same time; further calls wait. Default: 32. */
  maxConcurrentCalls?: number;
  /** How many calls may wait; further calls fail at once. Default: 256. */
  maxQueuedCalls?: number;
  /** The largest message the server may send, in bytes; a larger one fails its call. Default: 67108864. */
  maxMessageBytes?: number;
  /** The largest result that is passed on to the agent, in bytes. Common clients close the connection above 10 MiB. Default: 9437184. */
  maxResultBytes?: number;
  /** Offers the server the client's roots: the directories that the client works in. Some servers use them instead of the directories in their `args`. Every session then has a process of its own, as with `perSession`. Default: false. */
  roots?: boolean;
  /** Gives every session a process of its own: for servers that keep a state which sessions must not share, such as a browser. See [sharing](sharing.md). Default: false. */
  perSession?: boolean;
  /** Whether a server of `npx` is started from its file: npm is asked for it once. `false` starts it as written. See [package runners](runners.md). Default: true. */
  resolve?: boolean;
  /** What happens when the server changes its tools after they were approved, or seen for the first time: `note` says so once, `strict` blocks changed and new tools until `mcp-workbench approve`, `off` compares nothing. See [lock](security.md#lock). Default: "note". */
  lock?: 'note' | 'strict' | 'off';
  /** The MCP revision to use with the server: `auto` detects it, `legacy` is 2025-11-25 and older. Default: "auto". */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /** A file of `NAME=value` lines with variables for the server, relative to the configuration file. */
  envFile?: string;
  /** A program and its arguments, run without a shell each time the server starts. It prints variables for the server: `NAME=value` lines, or one JSON object of strings. See [secrets](#secrets). */
  envCommand?: string[];
  /** Names of variables of the workbench that the server gets as well, such as `AWS_PROFILE`. */
  env_vars?: string[];
  /** Tools that do not exist for the agent: names, globs, `@write` (not `readOnlyHint`) or `@destructive` (nor `destructiveHint: false`). Added to those of `defaults`. See [rules](security.md#rules). */
  deny?: string[];
  /** Tools that are called only after a person has agreed to the call, in the same form. Added to those of `defaults`. */
  ask?: string[];
  /** Exceptions to `ask`, as names or globs. Those of a server also hold for `ask` of `defaults`. */
  allow?: string[];
  /** The same as `env`. */
  environment?: { [name: string]: string };
  /** The same as `headers`. */
  http_headers?: { [name: string]: string };
  /** HTTP headers whose values are in variables: the name of the variable for each. */
  env_http_headers?: { [name: string]: string };
  /** The name of a variable with a token for the header `Authorization: Bearer …`. */
  bearer_token_env_var?: string;
  /** The opposite of `disabled`. */
  enabled?: boolean;
  /** The same as `toolFilters`. */
  includeTools?: string[];
  /** The same as `toolFilters`. */
  enabled_tools?: string[];
  /** The same as `toolFilters`. */
  tools?: string[];
  /** The same as `excludeTools`. */
  disabled_tools?: string[];
  /** The same as `excludeTools`. */
  disabledTools?: string[];
  /** `startTimeoutMs` in seconds. */
  startup_timeout_sec?: number;
  /** `callTimeoutMs` in seconds. */
  tool_timeout_sec?: number;
  /** `callTimeoutMs` in seconds. Under `context_servers` it is in seconds, else in milliseconds. */
  timeout?: number;
}

/** The servers of opencode from version 2, or of the settings of VS Code. */
export interface McpBlock {
  /** Servers, by name. */
  servers: { [name: string]: ServerEntry };
  /** What VS Code asks the user for. It has no effect: see `${input:…}`. */
  inputs?: unknown[];
}
