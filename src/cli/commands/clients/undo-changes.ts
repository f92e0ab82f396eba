import type { Headline } from '../../../clients/journal/commit.js';
import type { ChangeRecord } from '../../../clients/journal/record.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { declined } from './decide.js';
import type { Request } from './request.js';
import { printUndoing, revertFiles, undoingsOf, writeUndoings } from './revert-files.js';

/** Shows what taking records back would change, asks, and does it. */
export async function undoChanges(
  records: readonly ChangeRecord[],
  headline: Headline,
  call: Request,
): Promise<ExitCode> {
  const { flag, computer, output } = call;
  const undoings = undoingsOf(records);
  for (;;) {
    const all = revertFiles(undoings);
    for (const { undoing, reverted } of all) printUndoing(undoing, reverted, computer, output);
    const facts = all.map(({ undoing: { path }, reverted: { isExact, notes } }) => ({
      file: path,
      isExact,
      entries: notes,
    }));
    if (flag('dry-run')) {
      output.document({ command: headline.command, files: facts, written: false });
      return exitCodes.ok;
    }
    const refusal = await declined(call);
    if (refusal !== undefined) return refusal;
    if (await writeUndoings({ computer, shown: all, headline, isBlind: flag('yes') })) {
      output.document({ command: headline.command, files: facts, written: true });
      return exitCodes.ok;
    }
    output.say('A file changed while you looked at the preview. Here it is again:');
  }
}
