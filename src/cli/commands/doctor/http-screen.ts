import type { Output } from '../../frame/screen/output.js';
import { wrapped } from '../../frame/screen/wrapped.js';

/** One thing about the service over HTTP. */
export interface HttpCheck {
  readonly what: 'settings' | 'listen' | 'token' | 'directory' | 'issuer' | 'url';
  /** `idle`: nothing is wrong, and there is nothing to look at yet. */
  readonly state: 'well' | 'idle' | 'failed';
  readonly text: string;
}

const marks = { well: 'well', idle: 'asleep', failed: 'bad' } as const;
/** As wide as the label of the configuration. */
const labelWidth = 15;

export function printHttp(checks: readonly HttpCheck[], output: Output): void {
  for (const [index, { state, text }] of checks.entries()) {
    const label = (index === 0 ? 'HTTP' : '').padEnd(labelWidth);
    output.print(wrapped(`${label}${output.mark(marks[state])} ${text}`, output.width, 0, labelWidth + 2));
  }
}
