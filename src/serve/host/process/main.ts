import { closeSync, writeSync } from 'node:fs';
import { keepCompiledCode } from '../../../platform/compiled-code.js';
import { thisComputer } from '../../../platform/computer.js';
import { socketDirectory, socketPath } from '../../../platform/sockets/socket-directory.js';
import { stallFileOf } from '../../../platform/sockets/stall-file.js';
import { rightsOf } from '../authority.js';
import { launchLimitMs } from '../limits.js';
import { hostNames } from '../socket-names.js';
import { type Host, startHost } from './host.js';
import { loadParts } from './parts.js';
import { watchStalls } from './watch-stalls.js';

const closeLimitMs = 8_000;

// Node.js would open its debugger to every user of the machine.
process.on('SIGUSR1', () => {});
let close: Host['close'] = async () => true;
let report = (_problem: string) => {};
let isEnding = false;

function end(code: number): void {
  if (isEnding) return;
  isEnding = true;
  // A file on an unresponsive disk must not keep the process alive.
  const kill = () => process.kill(process.pid, 'SIGKILL');
  setTimeout(kill, closeLimitMs).unref();
  void close(code === 0)
    .catch(() => true)
    .then((isWritten) => (isWritten ? process.exit(code) : kill()));
}

function unexpected(error: unknown): void {
  report(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
process.on('uncaughtException', (error: unknown) => {
  unexpected(error);
  end(1);
});
// Something of one session has failed; the others go on.
process.on('unhandledRejection', (error: unknown) => unexpected(error));

const [, , ready, wanted = '', hostName] = process.argv;
const place = {
  hostName,
  directory: socketDirectory(),
  names: hostNames(hostName),
  rights: rightsOf('self'),
  computer: { ...thisComputer(process.env), cwd: '/' },
};
// The rights of a process can change when it starts another one. The session would not find this one, and start the next.
if (wanted !== '' && wanted !== place.names.shared) {
  if (ready !== undefined) writeSync(Number(ready), '!');
  process.exit(0);
}
keepCompiledCode(place.computer);

async function main(): Promise<void> {
  // The session that started this process has then given it up.
  const late = setTimeout(() => process.exit(1), launchLimitMs);
  const host = await startHost(place, () => end(0)).catch(() => undefined);
  clearTimeout(late);
  // The session that started this process waits until the pipe is closed.
  if (ready !== undefined) closeSync(Number(ready));
  if (host === undefined) process.exit(0);
  close = (isWanted) => host.close(isWanted);
  report = (problem) => host.report(problem);
  loadParts();
  const stallFile = stallFileOf(socketPath(place.directory, place.names.own(process.pid)));
  process.on('exit', watchStalls(stallFile));
}

void main();
