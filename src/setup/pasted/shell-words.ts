/** The words of one command, or why it is none. */
export type ShellWords = { readonly words: readonly string[] } | { readonly problem: string };

const oneCommand = 'It is more than one command of a shell. Give only the one that starts or adds the server.';

/**
 * Splits a command line as a shell does. `$NAME` becomes the reference `${NAME}`; nothing is run or expanded. In single quotes
 * a text stays as it is.
 */
export function shellWords(line: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  for (const { 0: token, index } of line.matchAll(tokens)) {
    if (/^\s/.test(token)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (token === "'" || token === '"') return { problem: 'A quotation mark is not closed.' };
    else if (isOperator(token) || (token === '$' && line[index + 1] === '(')) return { problem: oneCommand };
    else word = (word ?? '') + textOf(token);
  }
  return { words: word === undefined ? words : [...words, word] };
}

const tokens = /'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|\s+|\$\w+|\$\{[^}]*\}|[^\s'"\\$]+|[^]/g;

/** `&` and `;` are ordinary in the middle of a URL, `<` and `>` around what has to be filled in. */
function isOperator(token: string): boolean {
  return !/^['"\\]/.test(token) && /[|`]|&&|^[;&]|;$/.test(token);
}

function textOf(token: string): string {
  if (token.startsWith("'")) return token.slice(1, -1);
  if (token.startsWith('"'))
    return token
      .slice(1, -1)
      .replaceAll(/\\(["\\$`])|\\\r?\n|\$(\w+)/g, (_, escaped?: string, name?: string) =>
        name === undefined ? (escaped ?? '') : variable(name),
      );
  if (token.startsWith('\\')) return token.slice(1).replace(/^\r?\n$/, '');
  return /^\$\w+$/.test(token) ? variable(token.slice(1)) : token;
}

function variable(name: string): string {
  return `\${${name}}`;
}

/** The lines of a text that are commands, each with what a backslash continues; comments and the prompt of a shell are left out. */
export function commandLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n\s*/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^[$%>]\s+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}
