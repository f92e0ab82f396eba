export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Numbers of the lines that are neither `NAME=value` nor a comment; they are ignored. */
  readonly invalidLines: readonly number[];
}

const assignment =
  /[ \t]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t]*=[ \t]*(?:'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\[^])*)"|(?!['"`])([^\n]*))[ \t]*(?:#[^\n]*)?(?=\n|$)/y;

/** Reads the dotenv format: comments, `export`, quotes (also across lines), `\n` in double quotes. Variables are not expanded. */
export function parseEnvFile(source: string): EnvFile {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const variables = new Map<string, string>();
  const invalidLines: number[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    assignment.lastIndex = at;
    const match = assignment.exec(text);
    const end = match === null ? (lineEnd === -1 ? text.length : lineEnd) : at + match[0].length;
    const read = text.slice(at, end);
    if (match !== null) variables.set(match[1] ?? '', valueOf(match));
    else if (!/^[ \t]*(?:#|$)/.test(read)) invalidLines.push(line);
    line += read.split('\n').length;
    at = end + 1;
  }
  return { variables, invalidLines };
}

function valueOf([, , single, backquoted, double, bare = '']: RegExpExecArray): string {
  if (double !== undefined) return double.replaceAll(/\\([nrt"\\])/g, (_, sign: string) => escapes[sign] ?? sign);
  return single ?? backquoted ?? bare.replace(/(?:^|[ \t])#.*$/, '').trim();
}

// Any other backslash is kept, for Windows paths in double quotes.
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
