import { thisComputer } from '../platform/computer.js';
import { checkConfiguration } from './check.js';
import { serveGettingStarted } from './server.js';

// Node.js would open its debugger to every user of the machine.
process.on('SIGUSR1', () => {});

const { env, home } = thisComputer(process.env);

serveGettingStarted(process.stdin, process.stdout, (text) => checkConfiguration(text, { env, home }));
