import { formatPlace, type Path } from './place.js';

/** A fault or a warning. It never contains a value of the file, which may be a secret. */
export interface Notice {
  readonly offset: number;
  readonly path: Path;
  readonly what: string;
  readonly remedy: string;
}

export interface Findings {
  readonly faults: Notice[];
  readonly warnings: Notice[];
}

/** One line per notice, in the order of the file, each starting with `file:line:column`. */
export function formatNotices(notices: readonly Notice[], file: string, text: string): string[] {
  if (notices.length === 0) return [];
  const locate = createLocator(text);
  return notices
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, path, what, remedy }) =>
      `${file}:${locate(offset)} ${formatPlace(path)}: ${what} ${remedy}`.trim(),
    );
}

/** Gives `line:column` for an offset. */
export function createLocator(text: string): (offset: number) => string {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), (match) => match.index + match[0].length)];
  return (offset) => {
    let low = 0;
    let high = lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return `${low + 1}:${offset - (lineStarts[low] ?? 0) + 1}`;
  };
}
