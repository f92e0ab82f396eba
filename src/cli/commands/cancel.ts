import { cancelCall } from '../../inspect/cancel-call.js';
import { shorten } from '../../text/shorten.js';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';

const longestShownId = 60;

/** `mcp-workbench cancel CALL` */
export async function runCancel({ words, output }: Call): Promise<ExitCode> {
  const [id = ''] = words;
  const is = await cancelCall(id, (message) => output.say(message));
  const shown = shorten(id, longestShownId);
  if (is === 'unknown')
    return output.fail(usageFailure(`No call '${shown}' runs. mcp-workbench ps lists the calls that do.`));
  if (is === 'silent')
    return output.fail({
      code: 'FAILED',
      message: `The process that runs call ${shown} does not answer.`,
      exit: exitCodes.failed,
    });
  output.document({ call: id, cancelled: true });
  output.print(`${output.mark('well')} call ${id} is cancelled; its agent reads that the user did it`);
  return exitCodes.ok;
}
