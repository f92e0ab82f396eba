import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isRecord } from '../jsonrpc/json.js';
import { settlesWithin } from '../platform/time-limit.js';
import type { Connection } from './connections.js';
import { commandLineOf } from './our-entry.js';

/** Whether the entry of a client starts the workbench, and which version of it. */
export type StartCheck =
  | { readonly is: 'well'; readonly ms: number; readonly version: string }
  | { readonly is: 'failed'; readonly reason: string }
  /** It is started by a script that only a shell can run. */
  | { readonly is: 'untried' };

const limitMs = 20_000;
const endLimitMs = 2_000;
const maxAnswerChars = 100_000;
const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'mcp-workbench-doctor', version: '1' },
  },
};

/** Starts the first entry of ours that a client has, as the client would, and ends it again. No server is started by that. */
export async function checkStart(
  { own, problem }: Pick<Connection, 'own' | 'problem'>,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<StartCheck> {
  const value = own[0]?.value;
  const [command, ...args] = commandLineOf(value);
  if (command === undefined) return failed('no entry of ours');
  if (problem !== undefined) return failed(problem);
  // Windows would look for it in the working directory first, and cannot start `npx.cmd` without a shell.
  if (process.platform === 'win32' && !/^[A-Z]:[/\\].*\.exe$/i.test(command)) return { is: 'untried' };
  signal.throwIfAborted();
  const began = performance.now();
  const child = spawn(command, args, { env: { ...env, ...literalsIn(value) }, stdio: 'pipe' });
  child.stderr.resume();
  const end = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  const limit = setTimeout(end, limitMs);
  try {
    const { version, reason } = await firstAnswer(child);
    const ms = Math.round(performance.now() - began);
    return version === undefined
      ? failed(ms < limitMs ? reason : `no answer within ${limitMs / 1_000} s`)
      : { is: 'well', ms, version };
  } finally {
    clearTimeout(limit);
    await ended(child);
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
  }
}

/** The variables that an entry sets to plain values. References are written differently in each client, and are for servers. */
function literalsIn(value: unknown): Record<string, string> {
  const env = isRecord(value) ? (value['env'] ?? value['environment']) : undefined;
  const pairs = isRecord(env) ? Object.entries(env) : [];
  return Object.fromEntries(
    pairs.flatMap(([name, one]) => (typeof one === 'string' && !/[${]/.test(one) ? [[name, one]] : [])),
  );
}

interface Answer {
  readonly version?: string | undefined;
  readonly reason: string;
}

function firstAnswer(child: ChildProcessWithoutNullStreams): Promise<Answer> {
  return new Promise((resolve) => {
    let received = '';
    child.once('error', (error) => resolve({ reason: `it does not start: ${error.message}` }));
    child.once('close', (code) => resolve({ reason: `it ended with ${code ?? 'a signal'} before it answered` }));
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end === -1 && received.length < maxAnswerChars) return;
      resolve({ version: versionIn(received.slice(0, Math.max(0, end))), reason: 'its first line is not an answer' });
    });
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
}

/** The end of its input ends a workbench; anything else is killed. */
async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin.end();
  if (await settlesWithin(endLimitMs, exited)) return;
  child.kill('SIGKILL');
  await settlesWithin(endLimitMs, exited);
}

function failed(reason: string): StartCheck {
  return { is: 'failed', reason };
}

function versionIn(line: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(line);
    const result = isRecord(answer) ? answer['result'] : undefined;
    const info = isRecord(result) ? result['serverInfo'] : undefined;
    return isRecord(info) && typeof info['version'] === 'string' ? info['version'] : undefined;
  } catch {
    return undefined;
  }
}
