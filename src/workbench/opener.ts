import type { Config } from '../config/config.js';
import type { OpenToolboxInput, OpenToolboxResult } from '../contract/types.js';
import type { LoginQuestions } from './asking/login-questions.js';
import type { Finder } from './calls/find-tool.js';
import type { CallReports } from './calls/report-calls.js';
import { jsonChars } from './listing/listed-tool.js';
import type { SessionLock } from './lock/session-lock.js';
import type { Catalog } from './opening/catalog.js';
import type { Request } from './opening/open-answer.js';
import { openBudget } from './opening/open-budget.js';
import { openEverything } from './opening/open-everything.js';
import { openToolbox } from './opening/open-toolbox.js';
import { createReportedReasons } from './opening/reported-reasons.js';
import type { OpenOptions, Toolbox } from './servers/toolbox.js';

/** In place of a toolbox's name: the known tools of all toolboxes. */
const everything = '*';

/** Answers `open_toolbox`. */
export interface Opener {
  open(input: string | OpenToolboxInput, options: OpenOptions): Promise<OpenToolboxResult>;
  /** Adds a line to the notes of the next answer; undefined: the last one no longer holds. */
  note(text: string | undefined): void;
}

export interface OpenerOptions {
  readonly config: () => Config;
  readonly boxes: () => ReadonlyMap<string, Toolbox>;
  readonly find: Finder;
  readonly catalog: Catalog;
  readonly logins: LoginQuestions;
  readonly lock: SessionLock | undefined;
  readonly reports: CallReports;
  /** Throws if the workbench is shutting down. */
  readonly assertOpen: () => void;
}

export function createOpener(given: OpenerOptions): Opener {
  const { config, boxes, find, catalog, logins, lock, reports, assertOpen } = given;
  const reasons = createReportedReasons();
  let pendingNote: string | undefined;

  /** Notes count as part of the answer's budget. The pending one stays if there is no answer. */
  async function withNotes(
    request: Request,
    answerTo: (request: Request) => Promise<OpenToolboxResult>,
  ): Promise<OpenToolboxResult> {
    const note = pendingNote;
    const notes = [config().notice, note].filter((one) => one !== undefined);
    if (notes.length === 0) return answerTo(request);
    pendingNote = undefined;
    try {
      const budgetChars = Math.max(0, request.budgetChars - jsonChars({ notes }, request));
      const opened = await answerTo({ ...request, budgetChars });
      return { ...opened, notes: [...notes, ...(opened.notes ?? [])] };
    } catch (error) {
      pendingNote ??= note;
      throw error;
    }
  }

  async function answer(input: string | OpenToolboxInput, options: OpenOptions): Promise<OpenToolboxResult> {
    assertOpen();
    const { openBudgetChars, openTimeoutMs } = config();
    const { toolbox, query, tools, detail } = typeof input === 'string' ? { toolbox: input } : input;
    const request = {
      ...openBudget(openBudgetChars, options.agent?.client?.name),
      ...(query?.trim() && { query }),
      ...(tools && { tools }),
      ...(detail && { detail }),
    };
    if (lock !== undefined) await lock.refresh();
    return withNotes(request, (fitting) =>
      toolbox === everything
        ? openEverything(boxes(), catalog, fitting)
        : openToolbox(find.toolbox(toolbox), catalog, openTimeoutMs, fitting, { ...options, logins, lock, reasons }),
    );
  }

  return {
    open(input, options) {
      const name = typeof input === 'string' ? input : input.toolbox;
      return reports.opening(name, options.agent, () => answer(input, options));
    },
    note(text) {
      pendingNote = text;
    },
  };
}
