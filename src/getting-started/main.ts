import { checkConfiguration } from './check.js';
import { serveGettingStarted } from './server.js';

// Node.js would open its debugger to every user of the machine.
process.on('SIGUSR1', () => {});

serveGettingStarted(process.stdin, process.stdout, checkConfiguration);
