export type MatchesName = (name: string) => boolean;

/** Names and globs: `*` stands for any run of characters, `?` for one. */
export function matcherOf(patterns: readonly string[]): MatchesName {
  if (patterns.includes('*')) return () => true;
  const names = new Set(patterns.filter((pattern) => !isGlob(pattern)));
  const globs = patterns.filter(isGlob);
  return (tool) => names.has(tool) || globs.some((glob) => matches(glob, tool));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

// Not a regular expression: one built from user input can take exponential time.
function matches(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (glob[g] === '*') {
      star = g++;
      resume = t;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
