import type { Configuration } from '../../config/read/configuration.js';
import type { Log } from '../../platform/log.js';
import type { Edits } from '../../session/configuration/edits.js';
import type { LiveConfiguration } from '../../session/configuration/live-configuration.js';

/** Edits of a file that belongs to the operator of the service: nobody else is asked about them. */
export function operatorEdits(live: LiveConfiguration, log: Log): Edits {
  return {
    async take(next) {
      if (httpBlockOf(next) !== httpBlockOf(live.current))
        log.warn('configuration: "http" was changed; the service uses it after a restart');
      // Other files that it names are compared only once they have been read.
      await next.load();
      log.info(`configuration: read again: ${next.overview.configFile ?? 'the embedded default'}`);
      live.take(next);
    },
    review() {},
    files: () => [],
    note: undefined,
  };
}

function httpBlockOf({ file }: Configuration): string {
  return JSON.stringify(file?.http ?? null);
}
