import type { CommandListener } from '../../../session/command-session.js';
import { seconds } from '../../frame/screen/amounts.js';
import type { Output } from '../../frame/screen/output.js';

/** `starting github … 2.4 s` on stderr. */
export function startLines(output: Output): NonNullable<CommandListener['server']> {
  let done: (end: string) => void = () => {};
  return ({ server }, event) => {
    if (event.is === 'starting') done = output.progress(`starting ${server}`);
    else if (event.is === 'ready') done(event.isJoined ? 'it runs already' : seconds(event.startMs));
    else if (event.is === 'failed') done('failed');
  };
}
