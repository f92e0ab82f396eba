import { readResultOptions } from '../contract/result-options.js';
import type { CallToolResult, ToolIdentifier } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import type { Computer } from '../platform/computer.js';
import { cacheDirectoryOf } from '../platform/directories.js';
import type { Log } from '../platform/log.js';
import { directoryProblem } from '../platform/own-directory.js';
import { answerFrom } from '../results/fit/answer.js';
import { forGemini } from '../results/fit/gemini.js';
import { measure } from '../results/fit/measure.js';
import { bytesOf, textOf } from '../results/held-bytes.js';
import { createKeptResults, type KeptResults } from '../results/kept/kept-results.js';
import { resultGone } from '../results/kept/result-gone.js';
import { type FittedCall, toolIn } from './fitted-call.js';
import { answer } from './meta-tools/answers.js';
import { resultFor } from './results-for-agent.js';

/** Makes results fit, and keeps those of which an answer offers more. A part that is loaded for the first of them. */
export interface FittedAnswers {
  /** `given`: a value, or one held as bytes. */
  answerOf(call: FittedCall, given: unknown): Promise<FittedAnswer>;
  readonly kept: KeptResults;
  close(): Promise<void>;
}

/** What the agent gets. */
export interface FittedAnswer {
  readonly result: unknown;
  /** Its characters, if it was selected or cut. */
  readonly chars?: number;
}

export function createFittedAnswers(computer: Computer | undefined, log: Log): FittedAnswers {
  let latest: { readonly id: string; readonly result: WeakRef<CallToolResult> } | undefined;
  const kept = createKeptResults({ directory: computer && keptDirectory(computer) });

  async function fit(call: FittedCall, given: unknown): Promise<FittedAnswer> {
    const asItCame = { result: given };
    // Only for Gemini CLI, below.
    if (call.limit === undefined && (call.wanted ?? undefined) === undefined) return asItCame;
    const { options = {}, faults } = readResultOptions(call.wanted);
    const tool = toolIn(call.request);
    const result = resultIn(given);
    // A fault is what the result says; questions are asked before there is one.
    if (faults.length > 0 || tool === undefined || result === undefined) return asItCame;
    if (options.of === undefined) return sent(call, { given, result, options, tool });
    if (result.isError === true) return asItCame;
    const asked = await readKept(options.of, tool);
    return asked === undefined ? { result: await gone(call, options.of) } : sent(call, { ...asked, options, tool });
  }

  /** Pages of one result are often read one after the other: it is parsed once, unless its memory was needed. */
  async function readKept(id: string, tool: ToolIdentifier): Promise<Pick<Asked, 'result' | 'given'> | undefined> {
    const known = latest?.id === id ? latest.result.deref() : undefined;
    if (known !== undefined && kept.has(id, tool)) return { result: known, given: known };
    const bytes = await kept.read(id, tool);
    const given = bytes && { bytes: () => [bytes] };
    const result = given && resultIn(given);
    if (result === undefined) return undefined;
    latest = { id, result: new WeakRef(result) };
    return { result, given };
  }

  async function sent({ limit }: FittedCall, { given, result, options, tool }: Asked): Promise<FittedAnswer> {
    const make = answerFrom(result, { options, limit });
    if (make === undefined) return { result: given };
    const id = options.of ?? kept.nextId();
    const made = make({ kind: 'kept', tool, id });
    if (options.of !== undefined || !offers(made, id)) return counted(made);
    if (!(await keep(kept, tool, given))) return counted(make({ kind: 'lost' }));
    latest = { id, result: new WeakRef(result) };
    return counted(made);
  }

  async function gone({ caller }: FittedCall, id: string): Promise<unknown> {
    return resultFor(caller, await answer(log, Promise.reject(resultGone(id))));
  }

  return {
    kept,
    async answerOf(call, given) {
      const fitted = await fit(call, given);
      return call.isGemini ? { ...fitted, result: forGemini(fitted.result) } : fitted;
    },
    close: () => kept.close(),
  };
}

/** Undefined where an open file cannot be unlinked, or another user could reach it. */
function keptDirectory(computer: Computer): string | undefined {
  const directory = cacheDirectoryOf(computer);
  const { platform } = computer;
  return platform === 'win32' || directoryProblem(directory, platform) !== undefined ? undefined : directory;
}

/** A result, and what is wanted of it. */
interface Asked {
  /** The same as a value, or held as bytes. */
  readonly given: unknown;
  readonly result: CallToolResult;
  readonly options: NonNullable<ReturnType<typeof readResultOptions>['options']>;
  readonly tool: ToolIdentifier;
}

function resultIn(given: unknown): CallToolResult | undefined {
  const bytes = bytesOf(given);
  const value: unknown = bytes === undefined ? given : JSON.parse(textOf(bytes));
  return isRecord(value) && value['resultType'] !== 'input_required' ? value : undefined;
}

function counted(result: CallToolResult): FittedAnswer {
  return { result, chars: measure(result, { counts: 'both', chars: 0 }) };
}

/** Whether a note has a call with this id. */
function offers({ content = [] }: CallToolResult, id: string): boolean {
  return content.some(({ text }) => typeof text === 'string' && text.includes(`"of":"${id}"`));
}

function keep(kept: KeptResults, tool: ToolIdentifier, given: unknown): Promise<boolean> {
  const bytes = bytesOf(given) ?? [JSON.stringify(given)];
  return kept.keep(
    tool,
    bytes.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
