import type { ConfigFile } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';
import { socketDirectory, socketDirectoryProblem } from '../../platform/sockets/socket-directory.js';
import { reasonAgainst } from '../../serve/host/front/reason-against.js';

/** Why sessions share no servers. */
export interface NotShared {
  readonly reason: string;
  /** Whether the user should act on it. */
  readonly isProblem: boolean;
}

/** Why sessions with this file share no servers, if started as this command was; undefined if they do. */
export function notShared({ env, platform }: Computer, file: ConfigFile): NotShared | undefined {
  const chosen = reasonAgainst({ env, platform, versions: process.versions }, { shared: file.shared ?? true, file });
  if (chosen !== undefined) return { reason: chosen, isProblem: false };
  const problem = socketDirectoryProblem(socketDirectory());
  return problem === undefined ? undefined : { reason: problem, isProblem: true };
}
