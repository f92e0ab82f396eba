import { fileURLToPath } from 'node:url';
import { installApart } from '../../scripts/install-apart.mjs';

/** Installs the suite and its Node.js when the suite runs, not with the project. */
export default function install(): void {
  installApart(fileURLToPath(new URL('.', import.meta.url)));
}
