#!/usr/bin/env node
import { help, parseCommand } from './cli/arguments.js';
import { serve } from './cli/serve.js';
import { version } from './platform/version.js';

async function main(): Promise<void> {
  // Node.js would open its debugger to every user of the machine.
  process.on('SIGUSR1', () => {});
  // A client may close our stderr; a failed log write must not end the process.
  process.stderr.on('error', () => {});
  const command = parseCommand(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'version':
      process.stdout.write(`${version}\n`);
      return;
    case 'invalid':
      process.stderr.write(`mcp-workbench: ${command.problem}\nSee mcp-workbench --help\n`);
      process.exitCode = 2;
      return;
    case 'serve':
      await serve(command.config);
  }
}

await main();
