import { expect, test } from 'vitest';
import { type NextStep, nextStep, type Trouble } from './next-step.js';

const place = { toolbox: 'dev', server: 'fs' };
const doctor = ['doctor', 'dev', 'fs'] as const;
const stderr = (text: string) => `it exited with code 1; last stderr output: ${text}`;

test.each<[string, Omit<Trouble, 'toolbox' | 'server'>, NextStep]>([
  ['disabled', { state: 'disabled' }, { command: ['enable', 'dev', 'fs'] }],
  ['with changed tools', { state: 'changed' }, { command: ['approve', 'dev', 'fs'] }],
  ['never started', { state: 'unknown' }, { command: doctor }],
  [
    'that needs a login',
    { state: 'unauthorized', kind: 'unauthorized', reason: 'needs a login (401)' },
    { command: ['auth', 'dev', 'fs'] },
  ],
  [
    'that offers a login, whatever headers its entry has',
    {
      ...{ state: 'unauthorized', kind: 'unauthorized', credentials: 'headers.X-Session in its entry' },
      reason: 'needs a login: run `mcp-workbench auth dev fs`',
    },
    { command: ['auth', 'dev', 'fs'] },
  ],
  [
    'that refused a static token',
    {
      ...{ state: 'unauthorized', kind: 'unauthorized', credentials: 'TRACKER_TOKEN in secrets.env' },
      reason: 'rejected the configured Authorization header (401)',
    },
    { says: 'change TRACKER_TOKEN in secrets.env' },
  ],
  [
    'that redirects to another origin',
    {
      ...{ state: 'unauthorized', kind: 'unauthorized', credentials: 'TOKEN in secrets.env' },
      reason:
        'needs a login (401); the configured headers were not sent, because it redirects to another origin. Use https://a.example as the url',
    },
    { says: 'write the URL that the reason names', command: doctor },
  ],
  [
    'whose variable is not set',
    { state: 'failed', kind: 'unreachable', reason: 'TOKEN is not set (env.TOKEN).', isBroken: true },
    {},
  ],
  [
    'whose variable was not set when it was last called',
    { state: 'failed', kind: 'unreachable', reason: 'TOKEN is not set (env.TOKEN). Put it into secrets.env.' },
    {},
  ],
  ['that asks to wait', { state: 'failed', kind: 'wait', reason: 'asks to wait 12 s' }, { says: 'try again later' }],
  [
    'that serves HTTP',
    {
      ...{ state: 'failed', kind: 'timeout' },
      reason:
        'it was not ready within 120000 ms (startTimeoutMs); it last wrote: Server listening on http://0.0.0.0:3000/mcp',
    },
    {
      says: 'it serves HTTP, not MCP on stdin and stdout: keep it running by itself, and add its URL',
      command: ['add', 'dev', 'fs-http', 'http://localhost:3000/mcp'],
    },
  ],
  [
    'that names its port alone',
    { state: 'failed', kind: 'crashed', reason: stderr('listening on port 8080') },
    {
      says: 'it serves HTTP, not MCP on stdin and stdout: keep it running by itself, and add its URL',
      command: ['add', 'dev', 'fs-http', 'http://localhost:8080'],
    },
  ],
  [
    'started by uvx, which is not installed',
    { state: 'failed', kind: 'unreachable', reason: "command 'uvx' not found in PATH" },
    {
      says: 'install uv (https://docs.astral.sh/uv), or write the full path of uvx in "command"',
      command: doctor,
    },
  ],
  [
    'of an unknown command',
    { state: 'failed', kind: 'unreachable', reason: "command 'my-server' not found in PATH" },
    { says: 'install my-server, or write the full path of my-server in "command"', command: doctor },
  ],
  [
    'with a command line as its command',
    {
      ...{ state: 'failed', kind: 'unreachable' },
      reason: 'the command not found in PATH; it must be the program alone: put its arguments into "args"',
    },
    {},
  ],
  [
    'whose command has a space in its path, and is not there',
    { state: 'failed', kind: 'unreachable', reason: "command '/home/a/My Projects/run.sh' does not exist" },
    { says: 'correct the path in "command"', command: doctor },
  ],
  [
    'whose directory is not there',
    { state: 'failed', kind: 'unreachable', reason: "working directory '/x' does not exist" },
    { says: 'correct the path in "cwd"', command: doctor },
  ],
  [
    'whose entry file is missing',
    { state: 'failed', kind: 'crashed', reason: stderr("Cannot find module '/home/a/My Projects/index.js'") },
    { says: 'correct the path in "args": /home/a/My Projects/index.js does not exist', command: doctor },
  ],
  [
    'whose Python file is missing',
    {
      ...{ state: 'failed', kind: 'crashed' },
      reason: stderr("python3: can't open file '/x/server.py': [Errno 2] No such file or directory"),
    },
    { says: 'correct the path in "args": /x/server.py does not exist', command: doctor },
  ],
  [
    'whose dependencies are missing',
    { state: 'failed', kind: 'crashed', reason: stderr("Cannot find module 'zod' | Require stack: | - /srv/index.js") },
    { says: 'install what it depends on, in its directory (npm install)', command: doctor },
  ],
  [
    'with a broken link to a file of its own',
    {
      ...{ state: 'failed', kind: 'crashed' },
      reason: stderr("Cannot find module '/srv/lib/a.js' imported from /srv/index.js"),
    },
    { says: 'install what it depends on, in its directory (npm install)', command: doctor },
  ],
  [
    'without its Python module',
    { state: 'failed', kind: 'crashed', reason: stderr('/usr/bin/python3: No module named mcp_server_git') },
    {
      says: 'install mcp_server_git for the Python of "command", or name the one of its virtual environment there',
      command: doctor,
    },
  ],
  [
    'of a package that does not exist',
    { state: 'failed', kind: 'crashed', reason: stderr('npm error code E404') },
    { says: 'correct the name of the package in "args"', command: doctor },
  ],
  [
    'that is slow',
    { state: 'failed', kind: 'timeout', reason: 'it was not ready within 700 ms (startTimeoutMs)' },
    { says: 'raise startTimeoutMs if it is only slow', command: doctor },
  ],
  [
    'behind a network that is gone',
    { state: 'failed', kind: 'lost', reason: 'no connection to https://a.example: unknown host (ENOTFOUND)' },
    { says: 'check the URL, and whether the network is there', command: doctor },
  ],
  [
    'without its database',
    { state: 'failed', kind: 'crashed', reason: stderr('connect ECONNREFUSED 127.0.0.1:5432') },
    { says: 'start the service that it connects to', command: doctor },
  ],
  [
    'without its host',
    { state: 'failed', kind: 'crashed', reason: stderr('getaddrinfo ENOTFOUND db') },
    { says: 'check the name of the host, and the network', command: doctor },
  ],
  [
    'whose port is taken',
    { state: 'failed', kind: 'crashed', reason: stderr('listen EADDRINUSE: address already in use :::3000') },
    { says: 'end the other program that uses its port', command: doctor },
  ],
  [
    'that may not read a file',
    { state: 'failed', kind: 'crashed', reason: stderr("EACCES: permission denied, open '/x'") },
    { says: 'let it read and run what it needs', command: doctor },
  ],
  [
    'whose key is refused',
    { state: 'failed', kind: 'crashed', reason: stderr('Error: Invalid API key'), credentials: 'KEY in secrets.env' },
    { says: 'change KEY in secrets.env', command: doctor },
  ],
  [
    'without a file of its arguments',
    { state: 'failed', kind: 'crashed', reason: stderr("ENOENT: no such file or directory, stat '/data'") },
    { says: 'correct the paths in "args"', command: doctor },
  ],
  ['that failed otherwise', { state: 'failed', kind: 'crashed', reason: stderr('oops') }, { command: doctor }],
])('the next step for a server %s', (_, trouble, expected) => {
  expect(nextStep({ ...place, ...trouble })).toEqual(expected);
});
