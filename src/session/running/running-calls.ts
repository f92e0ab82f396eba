import { CancelledByUser } from '../../contract/downstream-failure.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import type { InFlight } from '../../jsonrpc/in-flight.js';
import { longestToolName } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import type { ClientInfo } from '../../workbench/ports/agent.js';
import type { Progress } from '../../workbench/ports/downstream.js';
import type { CallHandle, RunningCalls } from '../../workbench/ports/running-calls.js';
import type { Workbench } from '../../workbench/workbench.js';

/** Of the last progress text of a call. */
export const longestShownProgress = 200;

/** A call of a session until it has ended, also while it waits for answers of the agent. */
export class RunningCall extends Cancellation implements CallHandle {
  progress: Progress | undefined = undefined;
  /** 0 until it begins. */
  number = 0;
  /** That of the report at its end: after a question of its server it may be another one. */
  reported = 0;
  tool: ToolIdentifier | undefined = undefined;
  since = 0;
  readonly client: ClientInfo | undefined;
  private readonly all: InFlight<RunningCall>;

  constructor(all: InFlight<RunningCall>, client: ClientInfo | undefined) {
    super();
    this.all = all;
    this.client = client;
  }

  /** A call that goes on after a question of its server keeps its number. */
  begun(number: number, tool: ToolIdentifier): void {
    this.reported = number;
    if (this.number !== 0) return;
    this.number = number;
    this.tool = tool;
    this.since = Date.now();
    this.all.set(number, this);
  }

  answersWith(number: number): void {
    this.reported = number;
  }

  ended(): void {
    if (this.number !== 0) this.all.delete(this.number);
  }
}

/** By their numbers. */
export type CallsInFlight = InFlight<RunningCall>;

export function createRunningCalls(all: CallsInFlight, workbench: Pick<Workbench, 'masked'>): RunningCalls {
  return {
    list: () =>
      all.values().flatMap(({ number, tool, client, since, progress = {} }) => {
        if (tool === undefined) return [];
        const text = shorten(printableLine(workbench.masked(textOf(progress), tool)), longestShownProgress);
        // Until it is found, this name is the agent's: it may be longer than an answer about calls.
        const shown = { ...tool, name: shorten(tool.name, longestToolName) };
        return [{ number, tool: shown, client, since, ...(text !== '' && { progress: text }) }];
      }),
    cancel(number) {
      const call = all.get(number);
      call?.cancel(new CancelledByUser());
      return call !== undefined;
    },
  };
}

/** Its message, else `3 of 10`. */
function textOf({ message, progress, total }: Progress): string {
  if (message !== undefined && message !== '') return message;
  if (progress === undefined) return '';
  return total === undefined ? String(progress) : `${progress} of ${total}`;
}
