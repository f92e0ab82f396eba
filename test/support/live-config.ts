import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestConfig, withMarker, writeConfig, writeConfigText } from './configs.js';

/** The configuration file of a running workbench. */
export interface LiveConfig {
  readonly file: string;
  /** Writes another configuration; every server entry gets the marker. */
  readonly write: (config: TestConfig) => void;
  /** Replaces the file, as most editors do. */
  readonly replace: (config: TestConfig) => void;
  readonly writeText: (text: string) => void;
}

export function liveConfig({ dir, marker }: { readonly dir: string; readonly marker: string }): LiveConfig {
  const file = join(dir, 'workbench-config.json');
  return {
    file,
    write: (config) => void writeConfig(dir, withMarker(config, marker)),
    replace: (config) => {
      const aside = join(dir, 'aside');
      mkdirSync(aside, { recursive: true });
      renameSync(writeConfig(aside, withMarker(config, marker)), file);
    },
    writeText: (text) => void writeConfigText(dir, text),
  };
}
