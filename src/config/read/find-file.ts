import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import { type FoundFile, readConfigFile, readLocalFile } from '../files/config-file.js';
import type { FindOptions } from '../files/find.js';
import type { ConfigFile } from '../schema/schema.js';
import type { Verdict } from '../trust/vetting.js';
import { quickFile } from './quick.js';

/**
 * The configuration file in use, if it can be used; `notice`: why the one in the working directory is not. Few directories
 * have one, so the checks are a part.
 */
export async function findFile(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): Promise<{ readonly file: FoundFile | undefined; readonly notice: string | undefined }> {
  const search = { ...computer, ...(path !== undefined && { path }) };
  const { local, notice } = await localFile(search, warn);
  const found = local ?? readConfigFile(search);
  const isClear = found === undefined || (!('fault' in found) && found.suspects.length === 0);
  return { file: isClear ? found : (await loadVetting()).usableFile(found, warn), notice };
}

/** The same for commands that may start servers: a file named by a relative path must be trusted, except in CI. */
export async function findTrustedFile(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): ReturnType<typeof findFile> {
  const { file, notice } = await findFile(path, computer, warn);
  if (file?.isRelative !== true || computer.env.CI) return { file, notice };
  const { requireTrust, requireNamedFiles } = await loadVetting();
  const vouched = requireTrust(file, computer);
  if (vouched === undefined) return { file, notice };
  const trusted = { ...file, vouched };
  requireNamedFiles(trusted, await contentOf(file), computer);
  return { file: trusted, notice };
}

/** The file in the working directory, if it is trusted. */
async function localFile(
  search: FindOptions,
  warn: (message: string) => void,
): Promise<{ readonly local?: FoundFile; readonly notice?: string | undefined }> {
  const local = readLocalFile(search);
  if (local === undefined) return {};
  const { judgeLocalFile, judgeNamedFiles } = await loadVetting();
  const { isTrusted, notice, vouched }: Verdict = judgeLocalFile(local, search, warn);
  if (!isTrusted || local.found === undefined || vouched === undefined) return { notice };
  const found = { ...local.found, vouched };
  const verdict = judgeNamedFiles(found, await contentOf(found), search, warn);
  return verdict.isTrusted ? { local: found } : { notice: verdict.notice };
}

async function contentOf({ text, path }: FoundFile): Promise<ConfigFile> {
  return quickFile(text) ?? (await loadPart(() => import('./parse.js'))).parseFile(text, path).file;
}

function loadVetting() {
  return loadPart(() => import('../trust/vetting.js'));
}
