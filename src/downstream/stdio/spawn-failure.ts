import type { StdioTarget } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { loadPart } from '../../platform/load-part.js';
import { nameOf } from './command-name.js';
import type { SpawnPlace } from './command-problem.js';
import { codeOf, systemReason } from './system-reason.js';

const lookupErrors = new Set<unknown>(['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOEXEC']);

/** Why a program could not be started. */
export async function spawnFailure(target: StdioTarget, place: SpawnPlace, error: unknown): Promise<DownstreamFailure> {
  const reason =
    (await problemFor(target, place, error)) ??
    `${nameOf(target.command)} could not be started: ${systemReason(error)}`;
  return new DownstreamFailure('unreachable', reason, { cause: error });
}

/** Not loaded for other errors: there may be no descriptor left to load it with. */
async function problemFor(target: StdioTarget, place: SpawnPlace, error: unknown): Promise<string | undefined> {
  if (!lookupErrors.has(codeOf(error))) return undefined;
  const { commandProblem } = await loadPart(() => import('./command-problem.js'));
  return commandProblem(target, place);
}
