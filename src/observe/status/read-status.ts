import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type {
  CallStatus,
  HostStatus,
  ProcessStatus,
  ServerProcess,
  ServerStatus,
  ServiceStatus,
  SessionStatus,
  StatusEvent,
} from './protocol.js';

const states = ['starting', 'awake', 'asleep', 'failed', 'stopped'] as const;

/** Any program of the user can listen at such a socket, so its answer is checked. Undefined if it has another shape. */
export function readStatus(value: unknown): ProcessStatus | undefined {
  if (!isRecord(value) || !Array.isArray(value['sessions'])) return undefined;
  const { pid, version, cwd } = value;
  if (typeof pid !== 'number' || typeof version !== 'string' || typeof cwd !== 'string') return undefined;
  const sessions = value['sessions'].flatMap((session) => readSession(session) ?? []);
  const host = readHost(value['host']);
  const service = readService(value['service']);
  return { pid, version, cwd, sessions, ...(host && { host }), ...(service && { service }) };
}

function readHost(value: unknown): HostStatus | undefined {
  if (!isRecord(value) || typeof value['since'] !== 'number' || !Array.isArray(value['processes'])) return undefined;
  return {
    since: value['since'],
    ...texts(value, ['name']),
    processes: value['processes'].flatMap((one) => readProcess(one) ?? []),
  };
}

function readService(value: unknown): ServiceStatus | undefined {
  if (!isRecord(value)) return undefined;
  const { url, config, since, processes } = value;
  if (typeof url !== 'string' || typeof since !== 'number' || !Array.isArray(processes)) return undefined;
  return {
    ...{ url, since, config: typeof config === 'string' ? config : null },
    processes: processes.flatMap((one) => readProcess(one) ?? []),
  };
}

function readProcess(value: unknown): ServerProcess | undefined {
  if (!isRecord(value)) return undefined;
  const { toolbox, server, sessions, differsIn } = value;
  if (typeof toolbox !== 'string' || typeof server !== 'string' || !Array.isArray(sessions)) return undefined;
  const known = { ...numbers(value, ['pid']), ...texts(value, ['log', 'reason']) };
  const strings = (list: readonly unknown[]) => list.filter((one) => typeof one === 'string');
  const differences = Array.isArray(differsIn) && { differsIn: strings(differsIn) };
  return { toolbox, server, sessions: strings(sessions), ...known, ...differences };
}

/** Undefined if it has another shape, or is of a kind that is not known here. */
export function readEvent(value: unknown): StatusEvent | undefined {
  if (!isRecord(value)) return undefined;
  const { is, session } = value;
  if (is === 'session') {
    const begun = readSession(session);
    return begun && { is, session: begun };
  }
  if (typeof session !== 'string') return undefined;
  switch (is) {
    case 'closed':
      return { is, session, ...(typeof value['config'] === 'string' && { config: value['config'] }) };
    case 'running':
      return { is, session, calls: readCalls(value['calls']) };
    case 'server': {
      const server = readServer(value['server']);
      return server && { is, session, server };
    }
    case 'shown': {
      const { call, chars } = value;
      return typeof call === 'number' && typeof chars === 'number' ? { is, session, call, chars } : undefined;
    }
    case 'opened':
    case 'called':
    case 'refused': {
      const { at, toolbox } = value;
      if (typeof at !== 'number' || typeof toolbox !== 'string') return undefined;
      const known = texts(value, ['server', 'tool', 'outcome', 'code', 'reason', 'client']);
      return { is, session, at, toolbox, ...known, ...numbers(value, ['ms', 'sent', 'received', 'call', 'shown']) };
    }
    default:
      return undefined;
  }
}

function readSession(value: unknown): SessionStatus | undefined {
  if (!isRecord(value) || !Array.isArray(value['servers'])) return undefined;
  const { id, client, config, since } = value;
  if (typeof id !== 'string' || typeof since !== 'number') return undefined;
  return {
    id,
    client: isRecord(client) ? { name: String(client['name']), version: String(client['version']) } : null,
    config: typeof config === 'string' ? config : null,
    since,
    ...numbers(value, ['front']),
    ...texts(value, ['cwd', 'why', 'user']),
    ...(value['wantedHost'] === true && { wantedHost: true }),
    servers: value['servers'].flatMap((server) => readServer(server) ?? []),
    calls: readCalls(value['calls']),
  };
}

function readCalls(value: unknown): CallStatus[] {
  return Array.isArray(value) ? value.flatMap((call) => readCall(call) ?? []) : [];
}

function readCall(value: unknown): CallStatus | undefined {
  if (!isRecord(value)) return undefined;
  const { id, toolbox, server, tool, since } = value;
  if (typeof id !== 'string' || typeof since !== 'number') return undefined;
  if (typeof toolbox !== 'string' || typeof server !== 'string' || typeof tool !== 'string') return undefined;
  return { id, toolbox, server, tool, since, ...texts(value, ['client', 'progress']) };
}

function readServer(value: unknown): ServerStatus | undefined {
  if (!isRecord(value)) return undefined;
  const { toolbox, server, since, calls, errors } = value;
  const state = states.find((one) => one === value['state']);
  if (typeof toolbox !== 'string' || typeof server !== 'string' || state === undefined) return undefined;
  if (typeof since !== 'number' || typeof calls !== 'number' || typeof errors !== 'number') return undefined;
  return {
    ...{ toolbox, server, state, since, calls, errors },
    ...numbers(value, ['pid', 'startMs', 'tools']),
    ...texts(value, ['revision', 'software', 'kind', 'reason']),
  };
}

function numbers<Key extends string>(value: JsonObject, keys: readonly Key[]) {
  const found: Partial<Record<Key, number>> = {};
  for (const key of keys) if (typeof value[key] === 'number') found[key] = value[key];
  return found;
}

function texts<Key extends string>(value: JsonObject, keys: readonly Key[]) {
  const found: Partial<Record<Key, string>> = {};
  for (const key of keys) if (typeof value[key] === 'string') found[key] = value[key];
  return found;
}
