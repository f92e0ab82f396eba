import type { Config } from '../config/config.js';
import type { Configuration } from '../config/read/configuration.js';
import { assemble } from '../config/resolve/assemble.js';
import { messageOf } from '../contract/errors.js';
import type { RequestId } from '../jsonrpc/messages.js';
import { longestMessageToAgent, responseOverheadBytes } from '../limits.js';
import type { Log } from '../platform/log.js';
import type { LiveWorkbench } from '../workbench/workbench.js';
import { type CallOptions, createCalls, type ServedCalls } from './calls.js';
import type { SessionLink } from './link.js';
import type { AgentOutput } from './transport.js';

/** The link of a session to the engine of its process. */
export interface EngineLink extends SessionLink, Pick<ServedCalls, 'unanswered' | 'onanswered' | 'inFlight'> {
  /** Resolves when the calls that come then are served by the last configuration that was applied. */
  applied(): Promise<void>;
  /** Adds a line to its log file. */
  keepLine(line: string): void;
}

interface LinkParts {
  /** Makes the session known to other processes. */
  readonly report: {
    serve(file: string | undefined): void;
    /** So many characters of the result of a call were sent to the agent. */
    shown(call: number, chars: number): void;
    close(): void;
  };
  readonly flush: () => Promise<unknown>;
  readonly log: Log;
  readonly calls?: CallOptions | undefined;
}

/** Ends when `end` is called; `serve` is to be called once, with the first configuration. */
export type OpenedLink = Omit<EngineLink, 'close' | 'keepLine'> & { end(): Promise<void>; serve(config: Config): void };

export function createEngineLink(
  id: string,
  workbench: LiveWorkbench,
  output: AgentOutput,
  { report, flush, log, calls: options }: LinkParts,
): OpenedLink {
  const calls = createCalls(id, workbench, output, log, options);
  let file: string | undefined;
  let applying: Promise<void> = Promise.resolve();

  function serve(config: Config): void {
    file = fileOf(config);
    output.maxBytes = longestMessageTo(config);
  }

  async function apply(configuration: Configuration): Promise<void> {
    const next = await configuration.load(assemble);
    if (fileOf(next) !== file) report.serve(fileOf(next));
    workbench.apply(next);
    serve(next);
  }

  // Not around the calls: each of them is made through this object.
  return Object.assign(calls, {
    serve,
    apply(configuration: Configuration) {
      // One after the other: reading a newer one may take less time, and the last one counts.
      applying = applying.then(() => apply(configuration)).catch((error: unknown) => log.warn(messageOf(error)));
    },
    applied: () => applying,
    shown(requestId: RequestId, chars: number) {
      const call = calls.numberOf(requestId) ?? 0;
      if (call !== 0) report.shown(call, chars);
    },
    note: (text: string | undefined) => workbench.note(text),
    async end() {
      report.close();
      calls.leave();
      // At once: a client may kill this process while its servers still end.
      const known = flush();
      await workbench.close();
      await known;
      await flush();
    },
  });
}

/** Undefined for the embedded one. */
export function fileOf({ source }: Config): string | undefined {
  return source.kind === 'file' ? source.path : undefined;
}

/** A user who raises `maxResultBytes` is assumed to have a client that can take it. */
function longestMessageTo({ toolboxes }: Config): number {
  const servers = [...toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  const results = servers.map(({ limits }) => limits.maxResultBytes + responseOverheadBytes);
  return results.reduce((most, bytes) => Math.max(most, bytes), longestMessageToAgent);
}
