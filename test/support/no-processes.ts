import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// A setup file of the unit tests: one that starts a process has its place in a file of another name.
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  Object.assign(childProcess, {
    [name]() {
      throw new Error(`child_process.${name} in a unit test: tests that start processes are in *.process.test.ts`);
    },
  });
}
syncBuiltinESMExports();
