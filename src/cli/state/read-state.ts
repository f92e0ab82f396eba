import { type Inspection, inspectServers } from '../../inspect/server-states.js';
import { hostNames } from '../../serve/host/socket-names.js';
import type { Call } from '../frame/command.js';
import { readConfigured } from '../frame/configured.js';
import { namedHost } from '../frame/named-host.js';

/** Undefined if there is no configuration yet. Throws for one with faults. */
export async function readState(call: Pick<Call, 'value' | 'computer' | 'output'>): Promise<Inspection | undefined> {
  const { value, computer, output } = call;
  const warn = (message: string) => output.say(message);
  const configured = await readConfigured(value('config'), computer, warn);
  const { shared } = hostNames(value('host-name'));
  return configured && inspectServers(configured, computer, shared, { host: namedHost(call), warn });
}
