import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A fixture that prints `listening …` and exits when its stdin ends. */
export type FixtureProcess = ChildProcessByStdio<Writable, Readable, null>;

/** What it prints after `listening`. */
export async function listening(child: FixtureProcess): Promise<string> {
  child.stdin.on('error', () => {});
  for await (const line of createInterface({ input: child.stdout })) {
    const [, text] = /^listening (.+)$/.exec(line) ?? [];
    if (text !== undefined) return text;
  }
  throw new Error('the fixture did not start');
}

export async function stopFixture(child: FixtureProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin.end();
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(patience);
}
