// `npm run check`: every step runs, even after a failure, so that one run shows every problem.
import { fileURLToPath } from 'node:url';
import { outputOfNpm, runNpm } from './npm.mjs';

const cwd = fileURLToPath(new URL('..', import.meta.url));
/** Beside each other: each of them uses one core for most of its time. */
const quickSteps = ['format:check', 'lint', 'types', 'dead-code'];

async function passesQuietly(step) {
  const { text, isOk } = await outputOfNpm(['run', step], { cwd });
  process.stdout.write(text);
  return isOk;
}

function passes(step) {
  try {
    runNpm(['run', step], { cwd, stdio: 'inherit' });
    return true;
  } catch {
    return false;
  }
}

const results = await Promise.all(quickSteps.map(passesQuietly));
// The tests print a count of their own.
const uncounted = quickSteps.filter((_, at) => !results[at]);
const failed = [...uncounted, ...(passes('test') ? [] : ['test'])];
for (const step of uncounted) console.log(`failed: npm run ${step}`);
if (uncounted.length > 0) console.log(`0 passed, ${uncounted.length} failed`);
console.log(failed.length === 0 ? 'check passed' : `check failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
