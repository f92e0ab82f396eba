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

/** One module of each file; `scripts/parts.mjs` has all. */
const parts: readonly (() => Promise<object>)[] = [
  () => import('../../../compose.js'),
  () => import('../../../workbench/opening/open-answer.js'),
  () => import('../../../config/read/parse.js'),
  () => import('../../../config/resolve/assemble.js'),
  () => import('../../../results/select/parse.js'),
  () => import('../../../downstream/http/wire.js'),
  () => import('../../../downstream/oauth/logins.js'),
  () => import('../../../downstream/stdio/runners/prepare-program.js'),
];
