import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { listening, stopFixture } from '../support/fixture-process.js';
import { inNetworkOf, withNetwork } from '../system/namespaces.js';
import { isolates } from './client.js';

const program = fileURLToPath(new URL('scripted-model.mjs', import.meta.url));

/** A call that the model makes: the arguments of `use_tool`. */
export interface ScriptedCall {
  readonly tool: { readonly toolbox: string; readonly server: string; readonly name: string };
  readonly arguments?: object;
  readonly result?: object;
}

/** The scripted model, until the test ends; in a network of its own if root runs the test. */
export interface Model {
  readonly url: string;
  /** A command that runs another one where the model can be reached. */
  readonly through: readonly string[];
  /** The results that clients have sent and that it has not answered yet. */
  readonly held: readonly string[];
  /** From now on it answers at once. */
  release(): void;
}

export async function startModel(): Promise<Model> {
  const [command, ...args] = [...(isolates ? withNetwork() : []), process.execPath, program];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => stopFixture(child));
  const port = await listening(child);
  const held: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => held.push(JSON.parse(line.replace('held ', ''))));
  return {
    url: `http://127.0.0.1:${port}`,
    through: isolates ? inNetworkOf(child.pid ?? 0) : [],
    held,
    release: () => void child.stdin.write('\n'),
  };
}

/** The prompt that makes it call these. */
export function promptFor(calls: readonly ScriptedCall[]): string {
  return `Make these calls: ${JSON.stringify({ calls })}`;
}
