export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Numbers of the lines that are neither `NAME=value` nor a comment; they are ignored. */
  readonly invalidLines: readonly number[];
}

const assignment =
  /[ \t]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t]*=[ \t]*(?:'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\[^])*)"|(?!['"`])([^\n\r]*))[ \t]*(?:#[^\n\r]*)?(?=[\n\r]|$)/y;

/** A line of an env file, or several: one assignment, or what is none. */
export interface EnvLine {
  /** In the text, without the line break. */
  readonly start: number;
  readonly end: number;
  /** Of the first line, from 1. */
  readonly line: number;
  /** Undefined for comments, blank lines and what is ignored. */
  readonly variable: { readonly name: string; readonly value: string } | undefined;
}

/** Reads the dotenv format: comments, `export`, quotes (also across lines), `\n` in double quotes. Variables are not expanded. */
export function parseEnvFile(source: string): EnvFile {
  const variables = new Map<string, string>();
  const invalidLines: number[] = [];
  for (const { start, end, line, variable } of envLinesIn(source)) {
    if (variable !== undefined) variables.set(variable.name, variable.value);
    else if (!/^\uFEFF?[ \t]*(?:#|$)/.test(source.slice(start, end))) invalidLines.push(line);
  }
  return { variables, invalidLines };
}

export function envLinesIn(text: string): EnvLine[] {
  const lines: EnvLine[] = [];
  let line = 1;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    assignment.lastIndex = at;
    const match = assignment.exec(text);
    const end = match === null ? endOfLine(text, at) : at + match[0].length;
    const variable = match === null ? undefined : { name: match[1] ?? '', value: valueOf(match) };
    lines.push({ start: at, end, line, variable });
    line += text.slice(at, end).split(lineBreak).length;
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  return lines;
}

const lineBreak = /\r\n?|\n/;

function endOfLine(text: string, at: number): number {
  const found = /[\n\r]/g;
  found.lastIndex = at;
  return found.exec(text)?.index ?? text.length;
}

function valueOf([, , single, backquoted, double, bare = '']: RegExpExecArray): string {
  const quoted = (double ?? single ?? backquoted)?.replaceAll(/\r\n?/g, '\n');
  if (quoted === undefined) return bare.replace(/(?:^|[ \t])#.*$/, '').trim();
  return double === undefined ? quoted : quoted.replaceAll(/\\([nrt"\\])/g, (_, sign: string) => escapes[sign] ?? sign);
}

// Any other backslash is kept, for Windows paths in double quotes.
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
