import type { HttpSettings } from '../../config/http/settings.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { Identifier } from './identity/identify.js';
import { createPersonIdentity } from './identity/person.js';
import { readOrMakeToken, readToken } from './identity/secret-files.js';
import { metadataPath } from './metadata.js';

/** Who may call: the one person who has the token, or everybody that the issuer knows. */
export async function identifierOf(
  { auth, url, listen, path }: HttpSettings,
  dataDirectory: string,
  { env, platform }: Computer,
  log: Log,
): Promise<Identifier> {
  const warn = (text: string) => log.warn(text);
  if (auth === undefined) {
    const token = readOrMakeToken(dataDirectory, platform);
    return createPersonIdentity({ token, reread: () => readToken(dataDirectory, platform), warn });
  }
  const [{ createTeamIdentity }, { createDocumentFetcher }] = await Promise.all([
    loadPart(() => import('./identity/team.js')),
    loadPart(() => import('./identity/fetch-json.js')),
  ]);
  const fetcher = createDocumentFetcher(auth.issuer, { env });
  const resource = url ?? `http://${listen.host}:${listen.port}${path}`;
  const metadataUrl = new URL(metadataPath(path), resource).href;
  const team = createTeamIdentity({ ...auth, resource, metadataUrl }, { fetch: fetcher.fetch, warn });
  return {
    ...team,
    close() {
      team.close();
      fetcher.close();
    },
  };
}
