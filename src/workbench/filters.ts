type Passes = (tool: string) => boolean;

/** Decides which tools of a server are shown and may be called. Of a tool that both name, `excluded` decides. */
export function createToolFilter(patterns: readonly string[], excluded: readonly string[] = []): Passes {
  const isNamed = createMatcher(patterns);
  if (excluded.length === 0) return isNamed;
  const isExcluded = createMatcher(excluded);
  return (tool) => isNamed(tool) && !isExcluded(tool);
}

/** Names and globs: `*` stands for any run of characters, `?` for one. */
function createMatcher(patterns: readonly string[]): Passes {
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
