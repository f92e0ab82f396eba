import type { assemble, Engine } from '../../compose.js';
import type { HttpSettings } from '../../config/http/settings.js';
import type { ServerProcess } from '../../observe/status/protocol.js';
import type { StatusPublisher } from '../../observe/status/serve-status.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { LiveConfiguration } from '../../session/configuration/live-configuration.js';
import { reportProcesses } from '../host/process/report-processes.js';
import type { ServiceLogins } from './login/service-logins.js';
import type { ServiceEngine } from './sessions/service.js';
import { makeUserDirectories } from './user-place.js';

interface EngineParts {
  readonly computer: Computer;
  readonly settings: HttpSettings;
  readonly secret: Buffer;
  readonly isFrozen: boolean;
  readonly logins: Pick<ServiceLogins, 'browserOf' | 'ofEveryone'>;
  readonly live: LiveConfiguration;
  /** Makes the status known. */
  readonly publisher: StatusPublisher;
  readonly log: Log;
}

/** The one engine of a service, which is loaded with the first call. */
export interface EngineOf {
  (): Promise<ServiceEngine>;
  /** Adds a line to its log file. */
  keepLine(line: string): void;
  /** The processes of servers, as others may see them. */
  processes(): ServerProcess[];
  /** Ends every server. */
  close(): Promise<void>;
}

export function createEngineOf(parts: EngineParts): EngineOf {
  const { computer, settings, secret, isFrozen, logins, live, publisher, log } = parts;
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;

  async function load(): Promise<Loaded> {
    const part = await loadPart(() => import('../../compose.js'));
    const { processes, processesPerUser } = settings.limits;
    const engine = part.startEngine(computer, log, {
      keepsFiles: true,
      sharesServers: true,
      publisher,
      // The one person's are those of the computer.
      readsLocksOnly: settings.auth !== undefined,
      browser: logins.ofEveryone,
      processes: { perPrincipal: processesPerUser, total: processes },
    });
    loaded = { engine, assemble: part.assemble };
    live.serve();
    return loaded;
  }

  async function engineOf(): Promise<ServiceEngine> {
    loading ??= load();
    // The next call tries again.
    loading.catch(() => (loading = undefined));
    const { engine, assemble: assembled } = await loading;
    return {
      assemble: assembled,
      openLink(config, output, { id, client }, { principal, computer: its, log: itsLog }) {
        if (principal.identity !== undefined) makeUserDirectories(its, computer);
        const signing = { key: secret, owner: [principal.key, client] };
        const browser = logins.browserOf(principal);
        return engine.openLink(config, output, {
          id,
          principal,
          computer: its,
          browser,
          log: itsLog,
          isFrozen,
          signing,
        });
      },
    };
  }

  return Object.assign(engineOf, {
    keepLine: (line: string) => loaded?.engine.keepLine(line),
    processes: () => reportProcesses(loaded?.engine.processes() ?? []),
    async close() {
      await (await loading?.catch(() => undefined))?.engine.close();
    },
  });
}

interface Loaded {
  readonly engine: Engine;
  readonly assemble: typeof assemble;
}
