import { showHidden } from '../../text/hidden.js';

/** A word as a person reads it: what could be read as several is quoted. */
export function shownWord(word: string): string {
  return /^[\w.:/@*?=+,~%&-]+$/.test(word) ? word : showHidden(JSON.stringify(word));
}
