import type { Configuration } from '../config/read/configuration.js';
import { isWorkbenchError, WorkbenchError } from '../contract/errors.js';
import { failureFrom } from '../jsonrpc/messages.js';
import { internalError, type Log, silentLog } from '../platform/log.js';
import { answerFailed } from './answer-failed.js';
import type { LiveConfiguration } from './configuration/live-configuration.js';
import type { OpenLink, Pending, SessionLink } from './link.js';
import type { AgentOutput } from './transport.js';

const hint = 'Fix the file or ask the user to, then call again: each call reads it again.';

interface FaultyLinkOptions {
  readonly live: LiveConfiguration;
  /** Reads the file as the start did. */
  readonly find: (log: Log) => Promise<Configuration>;
  readonly output: Pick<AgentOutput, 'send'>;
  readonly log: Log;
}

/**
 * The link of a session that has no configuration, because its file has faults. Each call reads the file again and is answered with
 * the faults, until the file loads: then this link is lost, and the next one serves the calls.
 */
export function createFaultyLink(
  { live, find, output, log }: FaultyLinkOptions,
  lost: Parameters<OpenLink>[0],
): SessionLink {
  /** The requests that the file is read for, and later ones. */
  let asked: readonly Pending[] = [];
  let waiting: readonly Pending[] = [];
  let isReading = false;
  let isOver = false;

  async function read(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (waiting.length > 0) {
      [asked, waiting] = [waiting, []];
      try {
        // What there is to say about the file is said by who follows it.
        const fixed = await find(silentLog);
        // It is no looser than the faulty text before whoever follows the file has looked at it.
        live.take((await live.firstFault?.restrict(fixed)) ?? fixed);
      } catch (error) {
        await refuse(error);
      }
    }
    isReading = false;
  }

  async function refuse(error: unknown): Promise<void> {
    const known = isWorkbenchError(error) ? new WorkbenchError(error.code, error.message, { hint }) : undefined;
    const calls = asked;
    asked = [];
    for (const pending of calls) {
      output.send(
        known === undefined
          ? failureFrom(pending.request.id, internalError(log, error))
          : await answerFailed(pending, known, log),
      );
    }
  }

  /** The next link serves them. */
  function handOver(): void {
    const calls = [...asked, ...waiting];
    [asked, waiting] = [[], []];
    isOver = true;
    lost(calls);
  }

  return {
    start(request, caller, line) {
      waiting = [...waiting, { request, caller, line }];
      if (isOver) handOver();
      else void read();
    },
    cancel(requestId) {
      const isLeft = ({ request }: Pending) => request.id !== requestId;
      [asked, waiting] = [asked.filter(isLeft), waiting.filter(isLeft)];
    },
    apply(configuration) {
      if (configuration.overview.fault === undefined && !isOver) handOver();
    },
    answered: () => {},
    rootsChanged: () => {},
    note: () => {},
    async close() {
      isOver = true;
      [asked, waiting] = [[], []];
    },
  };
}
