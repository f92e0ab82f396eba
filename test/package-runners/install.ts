import { fileURLToPath } from 'node:url';
import { installApart } from '../../scripts/install-apart.mjs';

/** The runners are installed when they are wanted, not with the project. */
export default function install(): void {
  installApart(fileURLToPath(new URL('.', import.meta.url)));
}
