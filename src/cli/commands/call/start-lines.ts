import type { Observer } from '../../../workbench/ports/observer.js';
import { seconds } from '../../frame/screen/amounts.js';
import type { Output } from '../../frame/screen/output.js';

/** `starting github … 2.4 s` on stderr. */
export function startLines(output: Output): Observer {
  let done: (end: string) => void = () => {};
  return {
    report(event) {
      if (event.is === 'starting') done = output.progress(`starting ${event.server.name}`);
      else if (event.is === 'ready') done(seconds(event.startMs));
      else if (event.is === 'failed') done('failed');
    },
  };
}
