import { loadPart } from '../../../platform/load-part.js';

/** After the first calls, which must not wait for this. */
const delayMs = 1_000;

/**
 * Loads everything that a session may need: a host lives on when the package is updated or removed, and would then find no more parts.
 * One after the other, in pauses, so that calls do not wait for it.
 */
export function loadParts(): void {
  void inTurn();
}

async function inTurn(): Promise<void> {
  for (const load of parts) {
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    // One that is missing is reported when it is needed.
    await loadPart(load).catch(() => {});
  }
}

const parts: readonly (() => Promise<object>)[] = [
  () => import('../../../compose.js'),
  () => import('../../../observe/status/serve-status.js'),
  () => import('../../../workbench/opening/open-answer.js'),
  () => import('../../../config/read/parse.js'),
  () => import('../../../config/resolve/assemble.js'),
  () => import('../../../config/trust/vetting.js'),
  () => import('../../../session/meta-tools/input-check.js'),
  () => import('../../../workbench/calls/violations.js'),
  () => import('../../../workbench/search/tool-search.js'),
  () => import('../../../downstream/stdio/runners/check-runners.js'),
  () => import('../../../downstream/stdio/command-problem.js'),
  () => import('../../../downstream/stdio/dumps/summarize-output.js'),
  () => import('../../../downstream/env-command/read-output.js'),
  () => import('../../../workbench/asking/ask-to-log-in.js'),
  () => import('../../../workbench/rules/call-approvals.js'),
  () => import('../../../downstream/http/wire.js'),
  () => import('../../../downstream/oauth/logins.js'),
];
