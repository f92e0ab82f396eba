import { checkConfiguration } from './check.js';
import { serveGettingStarted } from './server.js';

serveGettingStarted(process.stdin, process.stdout, checkConfiguration);
