import { type Configuration, findConfiguration } from '../../config/read/configuration.js';
import { isWorkbenchError } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import type { Call } from './command.js';
import { exitCodes } from './screen/exit-codes.js';
import { canAsk } from './screen/prompt.js';

/** The configuration for a command that may start servers. On a terminal, one that is not trusted is shown, and may be trusted. */
export async function trustedConfiguration(call: Call, log: Log): Promise<Configuration> {
  const { value, computer, output, commands } = call;
  const find = () => findConfiguration(value('config'), computer, log);
  try {
    return await find();
  } catch (error) {
    const file = value('config') ?? computer.env.WORKBENCH_CONFIG;
    const isAsked = isWorkbenchError(error) && error.code === 'CONFIG_UNTRUSTED' && output.width !== undefined;
    if (!isAsked || !canAsk() || file === undefined) throw error;
    const trust = await commands.find(({ name }) => name === 'trust')?.load?.();
    const code = await trust?.({ ...call, words: [file], flag: () => false });
    if (code !== exitCodes.ok) throw error;
    return find();
  }
}
