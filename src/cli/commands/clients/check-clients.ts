import { type Connection, readConnections } from '../../../clients/connections.js';
import { urlOfEntry } from '../../../clients/http-entry.js';
import type { ConfigText } from '../../../clients/served-servers.js';
import { checkStart } from '../../../clients/start-check.js';
import type { Computer } from '../../../platform/computer.js';
import type { ClientReport } from './client-report.js';
import { serviceProblem } from './service-check.js';

/** The clients that this user has. The entry of each that is connected is started once. */
export async function checkClients(
  config: ConfigText | undefined,
  computer: Computer,
  signal: AbortSignal,
): Promise<ClientReport[]> {
  const present = readConnections(computer, config).filter(({ state }) => state !== 'absent');
  const checks = await Promise.allSettled(present.map((one) => check(one, computer, signal)));
  return checks.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

async function check(connection: Connection, { env }: Computer, signal: AbortSignal): Promise<ClientReport> {
  const { client, path, state, problem, others, doubled } = connection;
  const names = (entries: Connection['own']) => entries.map(({ name }) => name);
  const about = { client: client.name, title: client.title, file: path };
  const facts = { servers: names(others), doubled: names(doubled) };
  if (state !== 'connected')
    return {
      ...{ ...about, state: state === 'unreadable' ? 'unreadable' : 'unconnected' },
      ...(problem !== undefined && { reason: problem }),
      ...facts,
    };
  const url = urlOfEntry(connection.own[0]?.value);
  if (url !== undefined) {
    const reason = problem ?? (await serviceProblem(url, env, signal));
    return { ...about, url, ...(reason === undefined ? { state: 'well' } : { state: 'failed', reason }), ...facts };
  }
  const start = await checkStart(connection, env, signal);
  if (start.is === 'failed') return { ...about, state: 'failed', reason: start.reason, ...facts };
  return {
    ...about,
    state: 'well',
    ...(start.is === 'well' && { startMs: start.ms, workbench: start.version }),
    ...facts,
  };
}
