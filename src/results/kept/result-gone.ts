import { WorkbenchError } from '../../contract/errors.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';

const longestShownId = 40;

/** The same for an id that was never given, of another tool and of another session: it reveals no existing id. */
export function resultGone(id: string): WorkbenchError {
  const text = `Result '${shorten(printableLine(id), longestShownId)}' is no longer kept`;
  return new WorkbenchError('RESULT_GONE', text, { hint: 'Call the tool again without "of".' });
}
