import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile } from '../../../config/schema/schema.js';
import { listHosts } from '../../../inspect/stop-host.js';
import type { Computer } from '../../../platform/computer.js';
import { socketDirectory } from '../../../platform/sockets/socket-directory.js';
import { hostNames } from '../../../serve/host/socket-names.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { type NotShared, notShared } from '../../state/not-shared.js';

/** Whether sessions with this configuration use a host, and how that one is. */
export interface HostReport extends Partial<NotShared> {
  readonly pid?: number;
  readonly socket: string;
  /** The user id of its owner, and its mode, if it exists. */
  readonly owner?: number;
  readonly mode?: string;
}

export async function checkHost(
  computer: Computer,
  file: ConfigFile,
  hostName: string | undefined,
): Promise<HostReport> {
  const name = hostNames(hostName).shared;
  const socket = join(socketDirectory(), name);
  const against = notShared(computer, file);
  if (against !== undefined) return { ...against, socket };
  const host = (await listHosts(() => {})).find((one) => one.shared === name);
  const stats = lstatSync(socket, { throwIfNoEntry: false });
  const access = stats && { owner: stats.uid, mode: `0${(stats.mode & 0o777).toString(8)}` };
  return { isProblem: false, socket, ...(host && { pid: host.pid, ...access }) };
}

export function printHost(
  { reason, isProblem, pid, socket, owner, mode }: HostReport,
  home: string,
  output: Output,
): void {
  const shown = output.width === undefined ? socket : shortPath(socket, home);
  const text =
    reason !== undefined
      ? `${isProblem ? output.mark('warning') : output.signs.dash} not used, each session runs its servers itself: ${reason}`
      : pid === undefined
        ? `${output.mark('asleep')} none runs; the first call of a session starts it at ${shown}`
        : `${output.mark('well')} process ${pid} at ${shown}, user ${owner}, mode ${mode}`;
  output.print(wrapped(`Host           ${text}`, output.width, 0, 17));
}
