import type { Configuration } from '../../config/read/configuration.js';
import type { Computer } from '../../platform/computer.js';

export interface HttpSettings {
  readonly listen: { readonly host: string; readonly port: number };
  readonly isLoopback: boolean;
  readonly url: string | undefined;
  readonly path: string;
  readonly auth:
    | undefined
    | {
        readonly issuer: string;
        readonly audience: string;
        readonly algorithms: readonly string[];
        readonly scopes: readonly string[];
        readonly require: ReadonlyMap<string, readonly string[]>;
        readonly claims: readonly string[];
      };
  readonly origins: readonly string[];
  readonly limits: {
    readonly requestsPerSecond: number;
    readonly inFlight: number;
    readonly processesPerUser: number;
    readonly processes: number;
  };
}

export function settingsOf(
  _configuration: Configuration,
  _computer: Computer,
  address: string | undefined,
): HttpSettings {
  const [host = '127.0.0.1', port = '4760'] = address?.split(':') ?? [];
  return {
    listen: { host, port: Number(port) },
    isLoopback: true,
    url: undefined,
    path: '/mcp',
    auth: undefined,
    origins: [],
    limits: { requestsPerSecond: 50, inFlight: 256, processesPerUser: 20, processes: 500 },
  };
}
