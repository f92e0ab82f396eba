// Loaded into a process with --require and --expose-gc: for each SIGUSR2 it collects garbage and appends the bytes in use to a file.
const { appendFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  global.gc();
  const { heapUsed, external } = process.memoryUsage();
  appendFileSync(process.env.WORKBENCH_HEAP_FILE, `${heapUsed + external}\n`);
});
