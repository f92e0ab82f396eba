const marks = {
  well: ['✓', 'ok', 32],
  bad: ['✗', 'x', 31],
  warning: ['!', '!', 33],
  awake: ['●', '*', 32],
  asleep: ['○', 'o', 90],
  unknown: ['?', '?', 90],
} as const;
export type Mark = keyof typeof marks;

/** What says whether a terminal can show Unicode. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Signs of ours beside the marks, for terminals with Unicode and without. */
export interface Signs {
  readonly isUnicode: boolean;
  readonly ellipsis: string;
  readonly dot: string;
  readonly times: string;
  readonly dash: string;
  /** Before a line about what is going on. */
  readonly talk: string;
}

export function signsFor(screen: Surroundings): Signs {
  return writesUtf8(screen)
    ? { isUnicode: true, ellipsis: '…', dot: '·', times: '×', dash: '–', talk: '›' }
    : { isUnicode: false, ellipsis: '...', dot: '-', times: 'x', dash: '-', talk: '>' };
}

export function createMarks({ isUnicode }: Signs, hasColor: boolean): (kind: Mark) => string {
  return (kind) => {
    const [sign, word, color] = marks[kind];
    const shown = isUnicode ? sign : word;
    return hasColor ? `${begin}${color}m${shown}${end}` : shown;
  };
}

// Colours are written with characters that foreign text never has after `printable`, and around marks only.
const begin = '\uE000';
const end = '\uE001';
const painted = /(\uE000\d+m(?:[\u2713\u2717!\u25CF\u25CB?*ox]|ok)\uE001)/u;

/** The text with our own colours as the terminal takes them; the rest goes through `clean`. */
export function withColors(text: string, clean: (text: string) => string): string {
  return text
    .split(painted)
    .map((piece, index) => (index % 2 === 0 ? clean(piece) : piece.replace(begin, '\u001B[').replace(end, '\u001B[0m')))
    .join('');
}

/** As it is measured. */
export function withoutColors(text: string): string {
  return text.includes(begin) ? text.replaceAll(/\uE000\d+m|\uE001/g, '') : text;
}

function writesUtf8({ env, platform }: Surroundings): boolean {
  if (platform === 'win32') return env['WT_SESSION'] !== undefined || env['TERM_PROGRAM'] !== undefined;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || (locale === '' && platform === 'darwin');
}
