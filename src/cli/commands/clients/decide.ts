import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { canAsk, confirm } from '../../frame/screen/prompt.js';
import type { Request } from './request.js';

/** Undefined if the user wants it: by `--yes`, or after a question. Otherwise the exit code. */
export async function declined({ flag, output }: Pick<Request, 'flag' | 'output'>): Promise<ExitCode | undefined> {
  if (flag('yes')) return undefined;
  // stdout must be a terminal: the user has to see the preview before the question.
  if (output.width === undefined || !canAsk()) return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
  if (await confirm('Write?')) return undefined;
  output.print('Nothing was changed.');
  return exitCodes.failed;
}
