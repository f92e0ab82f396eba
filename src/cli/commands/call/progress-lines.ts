import { shorten } from '../../../text/shorten.js';
import type { Progress } from '../../../workbench/ports/downstream.js';
import type { Output } from '../../frame/screen/output.js';

// Some servers report every file that they read.
const leastMs = 250;
const longestText = 200;

/** Progress of a call as lines on stderr, not too many of them. */
export function createProgressLines(output: Output): (progress: Progress) => void {
  let last = -leastMs;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - last < leastMs) return;
    last = now;
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    output.talk(shorten([count, message].filter(Boolean).join(' '), longestText));
  };
}
