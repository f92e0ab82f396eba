/** The state of one client of this user. */
export interface ClientReport {
  readonly client: string;
  readonly title: string;
  readonly file: string;
  /** `failed`: our entry does not start; `unreadable`: its file is not valid. */
  readonly state: 'well' | 'failed' | 'unconnected' | 'unreadable';
  /** How long our entry takes to answer, and which version it is; undefined if it was not started. */
  readonly startMs?: number;
  readonly workbench?: string;
  /** Of the service that our entry leads to, if it starts no program. */
  readonly url?: string;
  readonly reason?: string;
  /** The servers that the client starts itself, and those of them that the workbench serves, too. */
  readonly servers: readonly string[];
  readonly doubled: readonly string[];
}
