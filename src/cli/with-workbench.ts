import type { Engine } from '../compose.js';
import type { Config } from '../config/config.js';
import type { Computer } from '../platform/computer.js';
import { cacheDirectoryOf } from '../platform/directories.js';
import { loadPart } from '../platform/load-part.js';
import { createLog } from '../platform/log.js';
import { createFailureFiles } from '../status/failure-files.js';
import { type Observer, silentObserver } from '../workbench/ports/observer.js';
import type { Workbench } from '../workbench/workbench.js';
import { findConfiguration } from './find-configuration.js';
import { Interrupted } from './screen/interrupted.js';
import type { Output } from './screen/output.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Gives a command a workbench of its own. Every server that it starts has ended when this returns, also if the user
 * interrupts it: `signal` is aborted then. `config`: the value of `--config`; `narrow`: what of the configuration is needed.
 */
export async function withWorkbench<T>(
  config: string | undefined,
  computer: Computer,
  output: Output,
  use: (workbench: Workbench, signal: AbortSignal) => Promise<T>,
  narrow: (config: Config) => Config = (whole) => whole,
): Promise<T> {
  const log = { ...createLog((line) => output.say(line.trimEnd())), info: () => {} };
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Interrupted('Interrupted.'));
  for (const signal of signals) process.on(signal, interrupt);
  const failures = createFailureFiles(cacheDirectoryOf(computer));
  const observer: Observer = { ...silentObserver, server: (server, event) => failures.server(server, event) };
  let engine: Engine | undefined;
  try {
    const found = await findConfiguration(config, computer, log);
    const { startEngine, assemble } = await loadPart(() => import('../compose.js'));
    const whole = await found.load(assemble);
    interruption.signal.throwIfAborted();
    engine = startEngine(computer, log, { keepsFiles: true });
    const result = await use(engine.createWorkbench(narrow(whole), observer), interruption.signal);
    interruption.signal.throwIfAborted();
    return result;
  } catch (error) {
    // What failed because of it says so in other words.
    interruption.signal.throwIfAborted();
    throw error;
  } finally {
    await engine?.close();
    await failures.flush();
    for (const signal of signals) process.off(signal, interrupt);
  }
}
