import { formatPlace, type Path } from '../place.js';

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

/** A notice with its place, for people and for JSON. */
export interface LocatedNotice {
  readonly line: number;
  readonly column: number;
  /** `config.toolboxes.dev.…` */
  readonly place: string;
  readonly message: string;
}

/** In the order of the file. */
export function locateNotices(notices: readonly Notice[], text: string): LocatedNotice[] {
  const sorted = notices.toSorted((a, b) => a.offset - b.offset);
  const last = sorted.at(-1);
  if (last === undefined) return [];
  // The lines after it need not be counted: there may be millions.
  const locate = createLocator(text.slice(0, last.offset + 1));
  return sorted.map(({ offset, path, what, remedy }) => ({
    ...locate(offset),
    place: formatPlace(path),
    message: `${what} ${remedy}`.trim(),
  }));
}

/** One line, starting with `file:line:column`. */
export function formatNotice({ line, column, place, message }: LocatedNotice, file: string): string {
  return `${file}:${line}:${column} ${place}: ${message}`;
}

/** Gives line and column of an offset. */
export function createLocator(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), (match) => match.index + match[0].length)];
  return (offset) => {
    let low = 0;
    let high = lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
  };
}
