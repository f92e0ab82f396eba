/** This computer, as far as servers depend on it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  /** Where the log files of servers go; without it there are none. */
  readonly logDirectory?: string;
  /** Where findings about servers are kept for later runs; without it they are kept in memory only. */
  readonly cacheDirectory?: string;
}
