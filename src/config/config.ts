import type { PackageVersion } from '../contract/package-version.js';
import type { NamedValue } from '../text/secrets/names.js';

export type { NamedValue };

/** A configuration file after validation and expansion; immutable. Names are keys of Maps, so no name is special. */
export interface Config {
  readonly source: ConfigSource;
  /** In the order of the file. */
  readonly toolboxes: ReadonlyMap<string, ToolboxConfig>;
  readonly openTimeoutMs: number;
  /** Undefined if the file does not set it: the budget then depends on the client. */
  readonly openBudgetChars: number | undefined;
  /** Whether sessions with it may be served by the host, which shares servers between sessions. */
  readonly shared: boolean;
  /** Problems that do not prevent the start, e.g. unknown keys. */
  readonly warnings: readonly string[];
  /** A line for the agent, in every answer of `open_toolbox`: why this is not what the file says now. */
  readonly notice?: string | undefined;
  /** The other files that were read for it, or would have been if they existed: env files and those of `${file:…}`. */
  readonly files: readonly string[];
}

export type ConfigSource = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'embedded' };

export interface ToolboxConfig {
  readonly name: string;
  /** Undefined if the file has none; `describe-toolbox.ts` then makes one of the names of its servers. */
  readonly description: string | undefined;
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
}

export interface ServerConfig {
  readonly toolbox: string;
  readonly name: string;
  /** The configuration file with its entry; undefined if it is not from a file. */
  readonly file?: string | undefined;
  /** The same, unless it was named by a relative path: that may lead into anyone's directory. */
  readonly namedFile?: string | undefined;
  readonly target: ServerTarget;
  /** Names or globs of the tools to offer; `['*']` is all, `[]` none. */
  readonly toolFilters: readonly string[];
  /** Names or globs of tools that are not offered, whatever `toolFilters` says. */
  readonly excludedTools: readonly string[];
  /** What may be called, and what only after a person has agreed: the server's own rules, then those of `defaults`. Empty if there are none. */
  readonly rules: readonly ToolRules[];
  /** Rules from before an edit that wait for a person to agree to looser ones: until then these hold as well. */
  readonly earlier?: readonly RuleSet[] | undefined;
  /** The effect of changed tools: see docs/security.md#lock. */
  readonly lock: 'note' | 'strict' | 'off';
  readonly limits: ServerLimits;
  /** Whether the server is offered the roots of the agent. Then it is `perSession`, too. */
  readonly roots: boolean;
  /** Whether no other session may use its process. */
  readonly perSession: boolean;
  /** Whether all users of a service share its process, which is the service's. False where there are no users. */
  readonly forEveryone: boolean;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /** Every value that may be a secret because of where it comes from: variables, files, `env`, `headers`, parts of `url`. */
  readonly secrets: readonly NamedValue[];
  readonly disabled: boolean;
  /** The only version of its package that may be started: the lock says so. */
  readonly pinned?: PackageVersion | undefined;
  /** Of the entry after expansion: a server whose fingerprint stays the same need not be restarted. */
  readonly fingerprint: string;
  /** Of the entry as written in the file: names its cached tools. */
  readonly cacheKey: string;
}

/** Servers whose edit waits for a person, by toolbox and name, as they are until then. Undefined: a new one, which is not there yet. */
export type HeldServers = ReadonlyMap<string, ReadonlyMap<string, ServerConfig | undefined>>;

/** What decides which tools of a server exist, and which of them ask. */
export type RuleSet = Pick<ServerConfig, 'toolFilters' | 'excludedTools' | 'rules'>;

/** Names, globs and, except in `allow`, words for what the server says about its tools. */
export interface ToolRules {
  readonly from: 'server' | 'defaults';
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly allow: readonly string[];
}

/** `@write`: not `readOnlyHint`. `@destructive`: nor `destructiveHint: false`. */
export type HintWord = '@write' | '@destructive';

export type ServerTarget = StdioTarget | RemoteTarget | BrokenTarget | LateTarget;

export interface StdioTarget {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Only the variables of the entry (`env_vars`, `envFile`, `envCommand`, `env`); the minimal environment is added when the process starts. */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
  /** False: a package runner runs as written. */
  readonly resolve?: false | undefined;
}

export interface RemoteTarget {
  readonly kind: 'remote';
  /** Without user, password and fragment. */
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Where the credentials in the headers come from; undefined if there are none. */
  readonly credentials?: string | undefined;
  /** `auto`: Streamable HTTP first, then SSE. */
  readonly transport: 'auto' | 'http' | 'sse';
  /** Undefined if the entry says nothing about a login. */
  readonly oauth?: OAuthSettings | undefined;
}

/** How to log in at a remote server. */
export interface OAuthSettings {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly clientMetadataUrl: string | undefined;
  /** The only authorization server to use. */
  readonly issuer: string | undefined;
  /** Whose login pages and token endpoints may stand in one login, as in a URL: with the port, if it is not the usual one. */
  readonly hosts: readonly string[] | undefined;
  readonly callbackPort: number | undefined;
  /** Undefined: the ones that the server names. */
  readonly scopes: readonly string[] | undefined;
  /** `none`: no login. */
  readonly grant: 'authorization_code' | 'client_credentials' | 'none';
}

/** A valid entry that cannot be used at present, e.g. because a variable is not set. */
export interface BrokenTarget {
  readonly kind: 'broken';
  readonly reason: string;
}

/** Known when the server starts: a program (`envCommand`) prints variables for it. Reading a configuration runs nothing. */
export interface LateTarget {
  readonly kind: 'late';
  readonly envCommand: EnvCommand;
  /** The target as far as it is known: what the program prints is missing in it. */
  readonly draft: StdioTarget | RemoteTarget;
  /** What `resolveLate` makes the target of: plain data, so that two targets can be compared. */
  readonly written: unknown;
}

export interface EnvCommand {
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** Only the variables of the entry (`env_vars`, `envFile`). */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
}

export interface ServerLimits {
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly callTotalTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxConcurrentCalls: number;
  readonly maxQueuedCalls: number;
  readonly maxMessageBytes: number;
  readonly maxResultBytes: number;
  /** How long what a tag of a package stands for is known; 0: for ever. */
  readonly runnerRefreshMs: number;
}
