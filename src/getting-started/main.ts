import { thisComputer } from '../platform/computer.js';
import { checkConfiguration } from './check.js';
import { serveGettingStarted } from './server.js';

const { env, home } = thisComputer(process.env);

serveGettingStarted(process.stdin, process.stdout, (text) => checkConfiguration(text, { env, home }));
