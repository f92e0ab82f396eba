#!/usr/bin/env node
import { messageOf } from './contract/errors.js';
import { keepCompiledCode } from './platform/compiled-code.js';
import { thisComputer } from './platform/computer.js';
import { loadPart } from './platform/load-part.js';
import { serve } from './serve/stdio/serve.js';
import { servedConfig } from './serve/stdio/served-config.js';

async function main(): Promise<void> {
  // Node.js would open its debugger to every user of the machine.
  process.on('SIGUSR1', () => {});
  const argv = process.argv.slice(2);
  const served = servedConfig(argv);
  // A person who types the name of the program wants to see something.
  if (served !== undefined && (argv[0] === 'serve' || !process.stdin.isTTY)) {
    // A client may close our stderr; a failed log write must not end the process.
    process.stderr.on('error', () => {});
    await serve(served);
    return;
  }
  try {
    keepCompiledCode(thisComputer(process.env));
    const { runCommand } = await loadPart(() => import('./cli/frame/command-line/run-command.js'));
    process.exitCode = await runCommand(argv);
  } catch (error) {
    process.stderr.write(`mcp-workbench: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

void main();
