import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from './configs.js';
import { temporaryDirectory } from './launch.js';

const scriptedServer = fileURLToPath(new URL('../fixtures/scripted-server.mjs', import.meta.url));

/** The scripted server as an installed package, started by the real npx, without network access. */
export function throughNpx(...flags: string[]): ServerEntry {
  const cwd = temporaryDirectory();
  const folder = join(cwd, 'node_modules', 'scripted-server');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(cwd, 'node_modules', '.bin'));
  writeFileSync(join(cwd, 'package.json'), '{"name":"any","private":true}');
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"scripted-server","version":"1.0.0","bin":{"scripted-server":"main.mjs"}}',
  );
  const main = join(folder, 'main.mjs');
  writeFileSync(main, `#!/usr/bin/env node\nimport ${JSON.stringify(scriptedServer)};\n`);
  chmodSync(main, 0o755);
  symlinkSync('../scripted-server/main.mjs', join(cwd, 'node_modules', '.bin', 'scripted-server'));
  const env = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  return { command: 'npx', args: ['--no-install', 'scripted-server', ...flags], cwd, env };
}
