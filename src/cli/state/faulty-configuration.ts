import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import { loadPart } from '../../platform/load-part.js';
import { silentLog } from '../../platform/log.js';
import type { Call } from '../frame/command.js';

/** Rethrows an error about the configuration; for a file with faults it adds what new sessions serve instead. */
export async function failOnConfiguration(error: unknown, { value, computer }: Call): Promise<never> {
  if (!isWorkbenchError(error) || error.code !== 'CONFIG_INVALID') throw error;
  const { standInFor } = await loadPart(() => import('../../config/read/stand-in.js'));
  const { fault } = await standInFor(error.message, value('config'), computer, silentLog);
  throw new WorkbenchError('CONFIG_INVALID', [error.message, fault?.meanwhile].join('\n'));
}
