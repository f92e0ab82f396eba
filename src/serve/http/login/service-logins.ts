import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpSettings } from '../../../config/http/settings.js';
import type { LoginBrowser } from '../../../downstream/oauth/login-browser.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import type { Log } from '../../../platform/log.js';
import type { Principal } from '../../../session/principal.js';
import { refuse } from '../exchange/refusal.js';
import { loginMissed, loginsForbidden, noneForEveryone } from './advice.js';
import type { LoginPages } from './pages.js';

/** How users of a service log in at servers: on pages of the service, which are a part. One person has a browser here. */
export interface ServiceLogins {
  /** Undefined: the browser is on this computer. */
  browserOf(principal: Principal): LoginBrowser | undefined;
  /** For servers for everyone. */
  readonly ofEveryone: LoginBrowser | undefined;
  /** False if there is no page at this path. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean;
  close(): void;
}

interface LoginParts {
  readonly settings: Pick<HttpSettings, 'auth'>;
  /** Of the service, as browsers reach it. */
  readonly origin: () => string;
  readonly computer: Pick<Computer, 'env'>;
  readonly log: Log;
}

const pagePath = /^\/login\/(?:[\w-]{22}|callback|signed-in)$/;

export function createServiceLogins({ settings: { auth }, origin, computer, log }: LoginParts): ServiceLogins {
  let loading: Promise<LoginPages> | undefined;

  /** Undefined: nobody can log in. */
  const { login: client } = auth ?? {};
  const pages =
    auth === undefined || client === undefined
      ? undefined
      : () => {
          loading ??= loadPart(() => import('./pages.js')).then(({ createLoginPages }) =>
            createLoginPages({
              ...{ issuer: auth.issuer, algorithms: auth.algorithms, client, origin: origin(), env: computer.env },
              warn: (text) => log.warn(text),
            }),
          );
          loading.catch(() => (loading = undefined));
          return loading;
        };

  return {
    browserOf({ key, identity }) {
      if (identity === undefined) return undefined;
      if (pages === undefined) return { advice: loginsForbidden, expect: undefined };
      return { advice: loginMissed, expect: async (login) => (await pages()).expect(key, login) };
    },
    ofEveryone: auth && { advice: noneForEveryone, expect: undefined },
    serve(path, request, response) {
      if (pages === undefined || !pagePath.test(path)) return false;
      if (request.method !== 'GET') {
        refuse(response, { status: 405, headers: { Allow: 'GET' } });
        return true;
      }
      pages()
        .then((loaded) => loaded.serve(path, request, response))
        .catch((error: unknown) => {
          log.error(`login: ${error instanceof Error ? error.message : String(error)}`);
          refuse(response, { status: 500, closes: true });
        });
      return true;
    },
    close: () => void loading?.then((loaded) => loaded.close()).catch(() => {}),
  };
}
