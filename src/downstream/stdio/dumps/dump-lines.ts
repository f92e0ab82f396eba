// How the runtimes of servers write what ended them. Every expression is linear in the line.

/** Lines that never say why a server failed. */
const noise = [
  // Node.js and Bun: version, advice, warnings about their own interfaces.
  /^Node\.js v\d/,
  /^Bun v\d/,
  /^\(Use `node --/,
  /^\(node:\d+\) .*Warning: /,
  /^Emitted 'error' event on .* at:$/,
  // V8, around the message when memory is exhausted.
  /^(?:-----|<---) [\w ]+ (?:-----|--->)$/,
  /^\[\d+:0x[\da-f]+\] /,
  /^ *\d+: 0x[\da-f]+ /,
  // Python: around the parts of a group.
  /^\s*\+[-+]+$/,
  // Go: the signal, and how `go run` ends.
  /^\[signal /,
  /^exit status \d+$/,
  // Rust.
  /^note: (?:run with `RUST_BACKTRACE|[Ss]ome details are omitted)/,
  // .NET, PHP.
  /^\s*--- End of /,
  /^Stack trace:$/,
  // npm, after its own errors.
  /^npm (?:error|ERR!) A complete log of this run/,
  /^npm notice/,
];

export const isNoise = (line: string) => noise.some((expression) => expression.test(line));

export const isIndented = (line: string) => /^\s/.test(line);

/** A place in the program: JavaScript, Java and .NET (`at`), Ruby (`from`), PHP (`#0`), and what Java leaves out. */
export const isFrame = (line: string) =>
  /^\s+(?:at |from |thrown in |\.\.\. \d+ (?:more|common frames omitted))|^\s*#\d+ +\S/.test(line);

/** Under the source line that failed. */
export const isCaret = (line: string) => /^\s*[~^]+\s*$/.test(line);
/** Node.js names the place of the source line that it shows, Python that of a syntax error. */
export const isPosition = (line: string) =>
  /^(?:file:\/\/|node:|\/|[A-Za-z]:\\|\[eval\]|evalmachine).*:\d+$|^\s+File ".*", line \d+$/.test(line);
/** Bun numbers the source lines that it shows. */
export const isNumberedSource = (line: string) => /^\s*\d+ \| /.test(line);

/** Python. */
export const isTraceback = (line: string) => /^(?:Exception Group )?Traceback \(most recent call last\):$/.test(line);
export const isChainLink = (line: string) =>
  /^(?:During handling of the above exception, another|The above exception was the direct cause)/.test(line);
/** Before each exception of a group. */
export const isGroupMember = (line: string) => /^\s*\+-[-+]* ?(?:\d+|\.\.\.) ?-+$/.test(line);
/** The exceptions of a group stand behind a bar. */
export const withoutBar = (line: string) => line.replace(/^ *(?:\| ?|\+ (?=Exception Group Traceback))/, '');

/** Go. */
export const isPanic = (line: string) => /^\s*(?:panic|fatal error): /.test(line);
export const isGoroutine = (line: string) => /^goroutine \d+.*:$/.test(line);
export const isGoFrame = (line: string) => /^\t|^created by |^[\w./*()[\]{}·~-]+\(.*\)$/.test(line);

/** Rust: the message follows on the next line, or stands in quotes in versions before 1.73. */
export const isRustPanic = (line: string) => /^thread '.*' (?:\(\d+\) )?panicked at /.test(line);
export const rustMessage = (line: string) => /panicked at '(.*)', \S+:\d+:\d+$/.exec(line)?.[1];
export const isBacktrace = (line: string) => /^stack backtrace:$/i.test(line);

/** The first line of an exception. */
export const isException = (line: string) => /^(?:Uncaught )?\[?[\w.$]*(?:Error|Exception)\b/.test(line);
/** Java and .NET, for an exception that nothing caught. */
export const isUnhandled = (line: string) => /^(?:Unhandled exception[.:]|Exception in thread) /.test(line);
/** An exception that led to another. */
export const isCausedBy = (line: string) => /^(?:Caused by: |\s*(?:---> |\[cause\]: ))/.test(line);

/** The properties of an error follow, or end. */
export const isOpening = (line: string) => line.endsWith(' {');
export const isClosing = (line: string) => /^[}\]]+[,;]?$/.test(line);

const introduction =
  /^(?:Uncaught |Unhandled exception[.:] |Exception in thread "[^"]*" |Caused by: |---> |\[cause\]: )/;

/** The message of an exception: without what introduces it, and without `Error: `, which says nothing. */
export function messageIn(line: string): string {
  const text = line
    .trim()
    .replace(/ \{$/, '')
    .replace(introduction, '')
    .replace(/^\[(\w*Error\b.*)\]$/, '$1');
  return text.replace(/^(?:Uncaught )?(?:Error|error)(?: \[\w+\])?:\s+(?=\S)/, '');
}
