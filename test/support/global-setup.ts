import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The tests drive the built program: builds it once, from the current sources. */
export default async function setup(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root });
}
