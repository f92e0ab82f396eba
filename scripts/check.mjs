// `npm run check`: every step runs, even after a failure, so that one run shows every problem.
import { fileURLToPath } from 'node:url';
import { runNpm } from './npm.mjs';

const steps = ['format:check', 'lint', 'types', 'dead-code', 'test'];
const root = fileURLToPath(new URL('..', import.meta.url));

function passes(step) {
  try {
    runNpm(['run', step], { cwd: root, stdio: 'inherit' });
    return true;
  } catch {
    return false;
  }
}

const failed = steps.filter((step) => !passes(step));
// The tests print a count of their own.
const uncounted = failed.filter((step) => step !== 'test');
for (const step of uncounted) console.log(`failed: npm run ${step}`);
if (uncounted.length > 0) console.log(`0 passed, ${uncounted.length} failed`);
console.log(failed.length === 0 ? 'check passed' : `check failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
