import { homedir } from 'node:os';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { checkConfiguration } from './check.js';
import { createGettingStartedServer } from './server.js';

const surroundings = { env: process.env, home: homedir() };

serveStdio(() => createGettingStartedServer((text) => checkConfiguration(text, surroundings)));
