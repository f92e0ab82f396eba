/** What a configuration file becomes once it is read: validated, expanded, immutable. Names are keys of Maps, so any name is ordinary. */
export interface Config {
  readonly source: ConfigSource;
  /** In the order of the file. */
  readonly toolboxes: ReadonlyMap<string, ToolboxConfig>;
  readonly openTimeoutMs: number;
  readonly openBudgetChars: number;
  /** Things worth telling the user that do not prevent the start, e.g. unknown keys. */
  readonly warnings: readonly string[];
}

export type ConfigSource = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'embedded' };

export interface ToolboxConfig {
  readonly name: string;
  readonly description: string;
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
}

export interface ServerConfig {
  readonly toolbox: string;
  readonly name: string;
  readonly target: ServerTarget;
  /** Names or globs of the tools to show; `['*']` is all, `[]` none. */
  readonly toolFilters: readonly string[];
  readonly limits: ServerLimits;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  readonly disabled: boolean;
}

export type ServerTarget = StdioTarget | RemoteTarget | BrokenTarget;

export interface StdioTarget {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Only what the entry gives (`envFile`, then `env`); the minimal environment is added when the process starts. */
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
}

export interface RemoteTarget {
  readonly kind: 'remote';
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** An entry that is well-formed but cannot be used here and now, e.g. for a variable that is not set. */
export interface BrokenTarget {
  readonly kind: 'broken';
  readonly reason: string;
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
}
