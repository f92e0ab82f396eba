import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfReference } from '../schema/malformed-reference.js';
import { createLookup, expandReferences, splitReferences, variableOf } from './expand-env.js';

const env = { INPUT_API_KEY: 'asked', SET: 'value', EMPTY: '', _x9: 'low', NESTED: '${SET}', SPACED: ' a b ' };

function expand(text: string, variables: Record<string, string | undefined> = env) {
  const missing: string[] = [];
  const file = (path: string) => (path === 'gone' ? { problem: 'it is gone' } : `<${path}>`);
  const expanded = expandReferences(
    text,
    {
      variable: createLookup(variables),
      file,
      secret: (name) => (name === 'NONE' ? { problem: 'none' } : `[${name}]`),
      user: (name) => (name === 'key' ? 'a1' : undefined),
      claim: (name) => (name === 'bad' ? { problem: 'it is bad' } : name === 'none' ? undefined : `{${name}}`),
    },
    {
      missing: (reference) => missing.push(variableOf(reference)),
      failed: (problem) => missing.push(problem),
      inserted: () => {},
    },
  );
  return { expanded, missing };
}

function faultsOf(text: string): string[] {
  return splitReferences(text).flatMap((part) =>
    typeof part === 'object' && part.kind === 'malformed' ? [faultOfReference(part).what] : [],
  );
}

describe('a reference to a variable', () => {
  test.each([
    ['${SET}', 'value'],
    ['a${SET}b${_x9}c', 'avalueblowc'],
    ['${EMPTY}', ''],
    ['${EMPTY:-default}', ''],
    ['${UNSET:-default}', 'default'],
    ['${UNSET:-}', ''],
    ['${UNSET:-a:-b}', 'a:-b'],
    ['${UNSET:-${SET}}', '${SET}'],
    ['${UNSET:-two\nlines}', 'two\nlines'],
    ['${SET:-default}', 'value'],
    ['${NESTED}', '${SET}'],
    ['$${SET}', '${SET}'],
    ['$$${SET}', '$${SET}'],
    ['${SET}$${SET}', 'value${SET}'],
    ['$SET $ {SET} {SET} 5$', '$SET $ {SET} {SET} 5$'],
    ['', ''],
    ['${env:SET}|${env:UNSET:-d}|{env:SET}', 'value|d|value'],
    ['$${env:SET}|{env:}|{env:1X}|{env:A B}|{envx:A}', '${env:SET}|{env:}|{env:1X}|{env:A B}|{envx:A}'],
    ['${file:a/b.txt}|{file:~/c d}|{file:}', '<a/b.txt>|<~/c d>|{file:}'],
    ['${file:-text}|${env:-text}|${input:-text}', 'text|text|text'],
    ['${input:api-key}', 'asked'],
  ])('%j becomes %j', (text, expected) => {
    expect(expand(text)).toEqual({ expanded: expected, missing: [] });
    expect(faultsOf(text)).toEqual([]);
  });

  test('without a value and a default is reported, each time', () => {
    expect(expand('${A} ${SET} ${B} ${A}').missing).toEqual(['A', 'B', 'A']);
  });

  test('to an input or a file names what is missing', () => {
    expect(expand('${input:My.id} ${file:gone} {file:gone}').missing).toEqual([
      'INPUT_MY_ID',
      'it is gone',
      'it is gone',
    ]);
  });

  test('is looked up case-sensitively, among own properties only', () => {
    expect(expand('${set}').missing).toEqual(['set']);
    expect(expand('${constructor}${__proto__}${toString}').missing).toEqual(['constructor', '__proto__', 'toString']);
    expect(expand('${GONE}', { GONE: undefined }).missing).toEqual(['GONE']);
  });
});

describe('a malformed reference', () => {
  test.each([
    ['${}', 'A variable reference without a name is malformed.'],
    ['${:-x}', 'A variable reference without a name is malformed.'],
    ['${1X}', "The reference to variable '1X' is malformed."],
    ['${A-b}', "The reference to variable 'A' is malformed."],
    ['${A:b}', "The reference to variable 'A' is malformed."],
    ['${A B}', "The reference to variable 'A' is malformed."],
    ['${ A}', 'A variable reference without a name is malformed.'],
    ['${Ä}', 'A variable reference without a name is malformed.'],
    ['x${A', "The reference to variable 'A' has no closing }."],
    ['${A:-b', "The reference to variable 'A' has no closing }."],
    ['${', 'A variable reference without a name has no closing }.'],
    ['${env:A B}', "The reference to variable 'env' is malformed."],
    ['${file:}', "The reference to variable 'file' is malformed."],
    ['${file:${A}/x}', "The reference to variable 'file' is malformed."],
    ['${input:}', "The reference to variable 'input' is malformed."],
    ['${command:pick}', "The reference to variable 'command' is malformed."],
  ])('%j is a fault that names the variable', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  test('does not hide the next one', () => {
    expect(faultsOf('${} ${SET} ${1}')).toHaveLength(2);
  });

  test('does not show what follows the name, which may be a secret', () => {
    expect(JSON.stringify(splitReferences('${KEY-hunter2} ${KEY:-hunter2'))).not.toContain('hunter2');
  });
});

describe('for any text', () => {
  const hostileText = fc
    .array(
      fc.constantFrom('$', '{', '}', ':', '-', 'A', 'B', '1', '_', ' ', '${', '$${', ':-', 'env:', 'file:', 'é', '😀'),
    )
    .map((parts) => parts.join(''));
  // References without a dollar sign have no escape. All braces go at once: without one of two, the other would begin a reference.
  const withoutBare = (text: string) => text.replaceAll(/\{+(?=env:|file:)/g, '');
  const anyText = fc.oneof(hostileText, fc.string({ unit: 'binary' })).map(withoutBare);

  test('without a dollar sign nothing changes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = withoutBare(text.replaceAll('$', ''));
        expect(expand(plain)).toEqual({ expanded: plain, missing: [] });
      }),
      { examples: [['{{$file:file::-}']] },
    );
  });

  test('of a hundred thousand braces it takes one pass', () => {
    for (const piece of ['${', '{env:', '{file:', '$${', '${a:-', '{env:a'])
      expect(splitReferences(piece.repeat(100_000)).length).toBeGreaterThan(0);
  });

  test('escaping it yields the text itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = text.replaceAll('${', () => '$${');
        expect(faultsOf(escaped)).toEqual([]);
        expect(expand(escaped)).toEqual({ expanded: text, missing: [] });
      }),
    );
  });

  test('the value of a variable is inserted unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(expand('<${A}>', { A: text }).expanded).toBe(`<${text}>`);
      }),
    );
  });

  test('a text joined from known pieces expands to the joined values of the pieces', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,3}$/);
    // Without the dollar signs, and with the next piece behind it, a brace may begin a reference.
    const plain = (text: string) => withoutBare(text.replaceAll('$', '')).replace(/\{$/, '{ ');
    const literal = anyText.map((text) => ({ written: plain(text), means: plain(text) }));
    const escape = fc.constant({ written: '$${', means: '${' });
    const variables = fc.dictionary(name, anyText, { maxKeys: 4, noNullPrototype: true });
    const fallback = anyText.map((text) => text.replaceAll('}', ''));
    const reference = fc.record({ name, fallback: fc.option(fallback, { nil: undefined }) });
    fc.assert(
      fc.property(variables, fc.array(fc.oneof(literal, escape, reference)), (values, pieces) => {
        const missing: string[] = [];
        let written = '';
        let means = '';
        for (const piece of pieces) {
          if ('written' in piece) {
            written += piece.written;
            means += piece.means;
            continue;
          }
          written += piece.fallback === undefined ? `\${${piece.name}}` : `\${${piece.name}:-${piece.fallback}}`;
          const value = Object.hasOwn(values, piece.name) ? values[piece.name] : piece.fallback;
          if (value === undefined) missing.push(piece.name);
          means += value ?? '';
        }
        expect(expand(written, values)).toEqual({ expanded: means, missing });
      }),
      {
        examples: [[{}, ['{$file:env:}', '{', 'env:A}'].map((text) => ({ written: plain(text), means: plain(text) }))]],
      },
    );
  });
});

describe('a reference to a secret', () => {
  test.each([
    ['${secret:TOKEN}', '[TOKEN]', []],
    ['Bearer ${secret:A_1}!', 'Bearer [A_1]!', []],
    ['${secret:NONE}', '', ['none']],
    ['{secret:TOKEN}', '{secret:TOKEN}', []],
  ])('%j becomes %j', (text, expanded, missing) => {
    expect(expand(text, { TOKEN: 'of the environment' })).toEqual({ expanded, missing });
  });

  test.each(['${secret:}', '${secret:1}', '${secret:A:-default}', '${secret:a b}'])('%j is malformed', (text) => {
    expect(faultsOf(text)).toHaveLength(1);
  });
});

describe('a reference to a user or a claim', () => {
  test.each([
    ['${user:key}', 'a1', []],
    ['<${claim:email}>', '<{email}>', []],
    ['${claim:https://example.com/roles}', '{https://example.com/roles}', []],
    ['${claim:a b-c.d}', '{a b-c.d}', []],
    ['${claim:bad}', '', ['it is bad']],
    ['${user:directory}|${claim:none}', '|', ['directory', 'none']],
    ['$${user:key} {user:key} {claim:email}', '${user:key} {user:key} {claim:email}', []],
    ['${user:-x} ${claim:-x}', 'x x', []],
  ])('%j becomes %j', (text, expanded, missing) => {
    expect(expand(text, { key: 'of the environment', email: 'of the environment' })).toEqual({ expanded, missing });
    expect(faultsOf(text)).toEqual([]);
  });

  test.each([
    ['${user:}', 'The reference to the user is malformed.'],
    ['${user:subject}', 'The reference to the user is malformed.'],
    ['${user:key:-x}', 'The reference to the user is malformed.'],
    ['${user:key', 'The reference to the user has no closing }.'],
    ['${claim:}', 'The reference to a claim is malformed.'],
    ['${claim:email:-nobody}', 'The reference to a claim is malformed.'],
    ['${claim:${SET}}', 'The reference to a claim is malformed.'],
    ['${claim:a\nb}', 'The reference to a claim is malformed.'],
    ['${claim:email', 'The reference to a claim has no closing }.'],
  ])('%j is malformed', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });
});
