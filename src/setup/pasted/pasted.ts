import type { ClientName } from '../../clients/table/client.js';

/** Servers that stand in a pasted text, in the words of a client. */
export interface Pasted {
  readonly client: ClientName;
  readonly servers: readonly (readonly [name: string, entry: object])[];
  /** What VS Code would ask the user for. */
  readonly inputs?: unknown;
}

export interface Unusable {
  readonly problem: string;
}
