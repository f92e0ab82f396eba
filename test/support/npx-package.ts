import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from './configs.js';
import { temporaryDirectory } from './launch.js';

const scriptedServer = fileURLToPath(new URL('../fixtures/scripted-server.mjs', import.meta.url));

/** The scripted server as a package that the user has installed globally, started by the real npx, without network access. */
export function throughNpx(...flags: string[]): ServerEntry {
  const prefix = temporaryDirectory();
  const folder = join(prefix, 'lib', 'node_modules', 'scripted-server');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(prefix, 'bin'));
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"scripted-server","version":"1.0.0","bin":{"scripted-server":"main.mjs"}}',
  );
  const main = join(folder, 'main.mjs');
  writeFileSync(main, `#!/usr/bin/env node\nimport ${JSON.stringify(scriptedServer)};\n`);
  chmodSync(main, 0o755);
  symlinkSync('../lib/node_modules/scripted-server/main.mjs', join(prefix, 'bin', 'scripted-server'));
  const env = { npm_config_offline: 'true', npm_config_update_notifier: 'false', npm_config_prefix: prefix };
  return { command: 'npx', args: ['--no-install', 'scripted-server', ...flags], env };
}
