import { spawn } from 'node:child_process';
import { isRecord } from '../jsonrpc/json.js';
import type { Connection } from './connections.js';
import { commandLineOf } from './our-entry.js';

/** Whether the entry of a client starts the workbench, and which version of it. */
export type StartCheck =
  | { readonly isWell: true; readonly ms: number; readonly version: string }
  | { readonly isWell: false; readonly reason: string };

const limitMs = 20_000;
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
  { own, problem }: Connection,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartCheck> {
  const [command, ...args] = commandLineOf(own[0]?.value);
  if (command === undefined) return failed('no entry of ours');
  if (problem !== undefined) return failed(problem);
  const began = performance.now();
  const child = spawn(command, args, {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const check = await new Promise<StartCheck>((resolve) => {
    let received = '';
    child.once('error', (error) => resolve(failed(`it does not start: ${error.message}`)));
    child.once('close', (code) => resolve(failed(`it ended with ${code ?? 'a signal'} before it answered`)));
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end === -1 && received.length < maxAnswerChars) return;
      const version = versionIn(received.slice(0, Math.max(0, end)));
      const ms = Math.round(performance.now() - began);
      resolve(version === undefined ? failed('its first line is not an answer') : { isWell: true, ms, version });
    });
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
  // The end of its input ends a workbench; anything else is killed.
  child.stdin.end();
  if (!check.isWell) child.kill('SIGKILL');
  return check;
}

function failed(reason: string): StartCheck {
  return { isWell: false, reason };
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
