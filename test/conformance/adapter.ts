import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpSettings } from '../../src/config/http/settings.js';
import { findConfiguration } from '../../src/config/read/configuration.js';
import { thisComputer } from '../../src/platform/computer.js';
import type { Log } from '../../src/platform/log.js';
import { createEngineOf } from '../../src/serve/http/engine-of-service.js';
import { createHttpService } from '../../src/serve/http/http-service.js';
import type { Identifier } from '../../src/serve/http/identity/identify.js';
import { createServiceLogins } from '../../src/serve/http/login/service-logins.js';
import { createLiveConfiguration } from '../../src/session/configuration/live-configuration.js';
import { localUser } from '../../src/session/principal.js';
import { markerVariable } from '../support/processes.js';
import { fixture, flatEngine } from './flat-link.js';
import { flatMember } from './flat-member.js';

export interface Adapter {
  readonly url: string;
  close(): Promise<void>;
}

interface AdapterOptions {
  /** The setting `protocol` of the fixture. */
  readonly protocol: 'legacy' | '2026-07-28';
  readonly marker: string;
  readonly log: Log;
  /** Serves the workbench's own two tools, as to every client. */
  readonly isFlat: boolean;
}

/** The suite has no tokens. */
const everybody: Identifier = {
  identify: () => ({ principal: localUser }),
  isReady: () => true,
  metadata: undefined,
  close() {},
};

/** The service of `serve --http`, for the suite only: in this process, on a port of its own. */
export async function startAdapter({ protocol, marker, log, isFlat }: AdapterOptions): Promise<Adapter> {
  const home = mkdtempSync(join(tmpdir(), 'mcp-workbench-conformance-home-'));
  const computer = { ...thisComputer({ PATH: process.env['PATH'] ?? '', HOME: home }), home, cwd: home };
  const file = join(home, 'workbench-config.json');
  writeFileSync(file, JSON.stringify(configurationOf(protocol, marker)));
  const live = createLiveConfiguration(await findConfiguration(file, computer, log));
  const secret = Buffer.alloc(32, 1);
  const port = await freePort();
  // The suite tries pages of the service's own origin.
  const origins = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`);
  const settings: HttpSettings = {
    ...{ listen: { host: '127.0.0.1', port }, isLoopback: true, url: undefined, path: '/mcp', auth: undefined },
    ...{
      origins,
      secrets: [],
      limits: { requestsPerSecond: 1_000, inFlight: 256, processesPerUser: 20, processes: 500 },
    },
  };
  const logins = createServiceLogins({ settings, origin: () => `http://127.0.0.1:${port}`, computer, log });
  // The sockets are those of the program.
  const publisher = () => ({ publish() {}, close() {} });
  const engine = createEngineOf({ computer, settings, secret, isFrozen: false, logins, live, publisher, log });
  const service = createHttpService({
    ...{ settings, computer, live, identifier: everybody, secret, logins, log },
    engineOf: async () => (isFlat ? flatEngine(await engine()) : engine()),
    ...(isFlat && { seenAs: flatMember }),
  });
  await service.listen();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      // The second one skips the waiting.
      await Promise.all([service.close(), service.close()]);
      await engine.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

function configurationOf(protocol: AdapterOptions['protocol'], marker: string): object {
  const server = {
    command: process.execPath,
    args: [fileURLToPath(new URL('fixture-server.mjs', import.meta.url))],
    env: { [markerVariable]: marker },
    protocol,
    roots: true,
    // A legacy server that is asked by several sessions at once cannot say whom it asks.
    perSession: true,
  };
  return {
    // All tools with their schemas.
    openBudgetChars: 1_000_000,
    toolboxes: { [fixture.toolbox]: { description: 'For the suite', mcpServers: { [fixture.server]: server } } },
  };
}
