import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import { type FoundFile, readConfigFile, readLocalFile } from '../files/config-file.js';

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
  const local = readLocalFile(search);
  const verdict = local && (await loadVetting()).judgeLocalFile(local, search, warn);
  const found = (verdict?.isTrusted ? local?.found : undefined) ?? readConfigFile(search);
  const isClear = found === undefined || (!('fault' in found) && found.suspects.length === 0);
  return { file: isClear ? found : (await loadVetting()).usableFile(found, warn), notice: verdict?.notice };
}

function loadVetting() {
  return loadPart(() => import('../trust/vetting.js'));
}
