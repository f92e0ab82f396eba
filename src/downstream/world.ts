/** The machine as the servers see it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  /** Where each server's log file goes; without it there are none. */
  readonly logDirectory?: string;
  /** Where what was learned about servers is kept; without it, it is kept in memory. */
  readonly cacheDirectory?: string;
}
