import { spawn } from 'node:child_process';
import { isRecord } from '../jsonrpc/json.js';
import type { Connection } from './connections.js';
import { commandLineOf } from './our-entry.js';

/** Whether the entry of a client starts the workbench, and which version of it. */
export type StartCheck =
  | { readonly isWell: true; readonly ms: number; readonly version: string }
  | { readonly isWell: false; readonly reason: string };

const limitMs = 20_000;
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
  if (command === undefined) return { isWell: false, reason: 'no entry of ours' };
  if (problem !== undefined) return { isWell: false, reason: problem };
  const began = performance.now();
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: limitMs });
  return new Promise<StartCheck>((resolve) => {
    let received = '';
    const end = (check: StartCheck) => {
      child.stdin.end();
      resolve(check);
    };
    child.once('error', (error) => resolve({ isWell: false, reason: `it does not start: ${error.message}` }));
    child.once('close', (code) =>
      resolve({ isWell: false, reason: `it ended with ${code ?? 'a signal'} before it answered` }),
    );
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const version = versionIn(received);
      if (version !== undefined) end({ isWell: true, ms: Math.round(performance.now() - began), version });
    });
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
}

function versionIn(received: string): string | undefined {
  const line = received.includes('\n') ? received.slice(0, received.indexOf('\n')) : undefined;
  if (line === undefined) return undefined;
  const answer: unknown = JSON.parse(line);
  const result = isRecord(answer) ? answer['result'] : undefined;
  const info = isRecord(result) ? result['serverInfo'] : undefined;
  return isRecord(info) && typeof info['version'] === 'string' ? info['version'] : 'unknown';
}
