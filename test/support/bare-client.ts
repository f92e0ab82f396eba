import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Launch } from './launch.js';
import { stopWhenTestFinishes } from './launch.js';

/** A response. */
export interface BareAnswer {
  /** As received, without the line feed. */
  readonly line: Buffer;
  readonly message: {
    readonly result?: {
      readonly content?: readonly { readonly text: string }[];
      readonly isError?: boolean;
    };
    readonly error?: { readonly message: string };
  };
}

/** A client on bare pipes that reads responses of any size in linear time, unlike the clients of the SDKs. */
export interface BareClient {
  readonly pid: number;
  readonly marker: string;
  stderr(): string;
  request(method: string, params: object): Promise<BareAnswer>;
  /** The legacy handshake. */
  initialize(): Promise<void>;
  use(toolbox: string, server: string, name: string, args?: object): Promise<BareAnswer>;
}

export function connectBare({ command, args, env, cwd, marker }: Launch): BareClient {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  const waiting = new Map<number, (line: Buffer) => void>();
  const stderr: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => stderr.push(chunk));
  child.stdin.on('error', () => {});
  onLine(child, (line) => {
    const id = idOf(line);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  const exited = once(child, 'close');
  stopWhenTestFinishes(marker, async () => {
    child.stdin.end();
    await exited;
  });

  let nextId = 700_000_000;
  function request(method: string, params: object): Promise<BareAnswer> {
    const id = nextId++;
    const answer = new Promise<BareAnswer>((resolve) => {
      waiting.set(id, (line) => resolve({ line, message: JSON.parse(line.toString('utf8')) }));
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  return {
    pid: child.pid ?? 0,
    marker,
    stderr: () => stderr.join(''),
    request,
    async initialize() {
      const clientInfo = { name: 'bare', version: '1.0.0' };
      await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    },
    use: (toolbox, server, name, given = {}) =>
      request('tools/call', {
        name: 'use_tool',
        arguments: { tool: { toolbox, server, name }, arguments: given },
      }),
  };
}

/** The text of the only block of a result. */
export function textOf({ message }: BareAnswer): string {
  return message.result?.content?.[0]?.text ?? `no text: ${JSON.stringify(message).slice(0, 500)}`;
}

/** Processor time of a process so far, all threads together, in ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  // In ticks of 10 ms.
  return (Number(user) + Number(system)) * 10;
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The id is before the result or after it; a result may contain others. */
function idOf(line: Buffer): number {
  const [, before] = /^\{"jsonrpc":"2\.0","id":(\d+),/.exec(line.subarray(0, 100).toString('latin1')) ?? [];
  const [, after] = /"id":(\d+)\}$/.exec(line.subarray(-100).toString('latin1')) ?? [];
  return Number(before ?? after);
}

function onLine(child: ChildProcessWithoutNullStreams, receive: (line: Buffer) => void): void {
  let pieces: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end));
      receive(Buffer.concat(pieces));
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  });
}
