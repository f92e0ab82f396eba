import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import type { Identifier } from './identity/identify.js';
import { createPersonIdentity } from './identity/person.js';
import { readOrMakeToken, readToken } from './identity/secret-files.js';
import type { HttpSettings } from './settings.js';

/** Who may call: the one person who has the token, or everybody that the issuer knows. */
export async function identifierOf(
  _settings: HttpSettings,
  dataDirectory: string,
  { platform }: Computer,
  log: Log,
): Promise<Identifier> {
  const token = readOrMakeToken(dataDirectory, platform);
  const reread = () => readToken(dataDirectory, platform);
  return createPersonIdentity({ token, reread, warn: (text) => log.warn(text) });
}
