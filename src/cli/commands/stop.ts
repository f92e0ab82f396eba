import { listSessions } from '../../inspect/list-sessions.js';
import { listHosts, type RunningHost, stopHost } from '../../inspect/stop-host.js';
import { hostNames } from '../../serve/host/socket-names.js';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';

/** `mcp-workbench stop [PID] [--all]` */
export async function runStop({ words, flag, value, output }: Call): Promise<ExitCode> {
  const [pid] = words;
  if (pid !== undefined && flag('all')) return output.fail(usageFailure('--all is every host; PID is one.'));
  const all = await listHosts((message) => output.say(message));
  const { shared } = hostNames(value('host-name'));
  const isMeant = (host: RunningHost) =>
    flag('all') || (pid === undefined ? host.shared === shared : String(host.pid) === pid);
  const meant = all.filter(isMeant);
  const services = meant.length === 0 ? await servicesNow() : [];
  if (pid !== undefined && meant.length === 0)
    return output.fail(
      usageFailure(
        services.includes(Number(pid))
          ? `Process ${pid} serves over HTTP and is no host. ${endText(pid)}`
          : `Process ${pid} is not a host. mcp-workbench ps lists them.`,
      ),
    );
  // Another one may be in a container, where its id is that of another process.
  const stopped = await Promise.all(
    meant.map(async (host) => ({ pid: host.pid, is: await stopHost(host, host.shared === shared) })),
  );
  output.document({ hosts: stopped.map(({ pid: id, is }) => ({ pid: id, stopped: is === 'stopped' })) });
  if (meant.length === 0) output.print('No host runs.');
  for (const service of services) output.print(`Service ${service} over HTTP runs on. ${endText(String(service))}`);
  for (const { pid: id, is } of stopped) {
    output.print(
      is === 'stopped'
        ? `${output.mark('well')} host ${id} has ended`
        : `${output.mark('bad')} host ${id} does not answer`,
    );
  }
  return stopped.every(({ is }) => is === 'stopped') ? exitCodes.ok : exitCodes.failed;
}

async function servicesNow(): Promise<number[]> {
  const found = await listSessions();
  return found.flatMap((one) => (one.is === 'known' && one.service !== undefined ? [one.pid] : []));
}

/** It has clients of its own, and a signal that waits for their calls. */
function endText(pid: string): string {
  const signal = process.platform === 'win32' ? `taskkill /pid ${pid}` : `kill ${pid}`;
  return `Its own signal ends it, after running calls: ${signal}`;
}
