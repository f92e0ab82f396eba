import { withoutHidden } from './hidden.js';

// Colours, cursor movements, titles and links of terminals. Each alternative begins with its own character: linear in the text.
const terminalSequence =
  // oxlint-disable-next-line no-control-regex -- they begin with one
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;

/** Text from a server or another program as it may stand in a log or a message: no terminal sequences, no hidden characters. */
export function printable(text: string): string {
  return withoutHidden(text.replace(terminalSequence, ''));
}

/** The same on one line, for logs: text with line breaks could imitate another entry. */
export function printableLine(text: string): string {
  const lines = printable(text)
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' | ');
}
