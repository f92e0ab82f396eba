import { perDirectory } from '../../platform/per-directory.js';
import type { SinkPart } from '../fan-out.js';
import { createFailureFiles } from './failure-files.js';

/** Keeps why servers failed, for a process that ends soon. Where there is a status, that does it. */
export function failuresPart(): SinkPart {
  return {
    name: 'failures',
    mayLose: false,
    async load() {
      const files = perDirectory((at) => (at === undefined ? undefined : createFailureFiles(at)));
      return {
        take({ cacheDirectory }, event) {
          if (event.is === 'ready' || event.is === 'failed' || event.is === 'ended')
            files.of(cacheDirectory)?.take(event);
        },
        close() {},
        flush: async () =>
          void (await Promise.all(files.all().flatMap((one) => (one === undefined ? [] : [one.flush()])))),
      };
    },
  };
}
