import { fileURLToPath } from 'node:url';
import type { Config } from '../../../config/config.js';
import { embeddedConfig } from '../../../config/read/embedded.js';
import { quickFile } from '../../../config/read/quick.js';
import type { assemble } from '../../../config/resolve/assemble.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import type { SentConfig } from '../protocol.js';

/**
 * The configuration of a session from the text that its front has read. The front has found it, knows that the user trusts it, and has
 * logged its warnings.
 */
export async function sessionConfig(sent: SentConfig, computer: Computer, assembled: typeof assemble): Promise<Config> {
  if (sent === null) {
    // Next to this file in the bundle.
    const script = fileURLToPath(new URL('./getting-started.js', import.meta.url));
    return embeddedConfig(script, process.execPath);
  }
  const options = { ...computer, path: sent.path };
  const quick = quickFile(sent.text);
  if (quick !== undefined) return assembled(quick.file, [], options);
  const { parseConfig } = await loadPart(() => import('../../../config/read/parse.js'));
  return parseConfig(sent.text, options);
}
