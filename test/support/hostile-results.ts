// Expressions and results that would take all time and memory if nothing limited them.

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
export const times = (count: number, part: string, between = '|') => Array(count).fill(part).join(between);
export const many = (count: number, part: string) => `[${times(count, part, ',')}]`;

const numbers = list(500_000, (n) => n);
export const object = Object.fromEntries(list(100_000, (n) => [`key${n}`, n]));
const text = 'a'.repeat(2_000_000);
/** Equal strings that are not the same string. */
export const copies: unknown = JSON.parse(JSON.stringify(['a'.repeat(1_000_000), 'a'.repeat(1_000_000)]));

/** What it does, the expression, and what it is applied to. */
export const costly: readonly (readonly [string, string, unknown])[] = [
  ['doubles a list and flattens it', `[@]|${times(30, '[@,@][]')}`, 1],
  ['doubles by to_string', times(30, 'to_string([@,@])'), 'a'],
  ['doubles by join', times(30, "join('',[@,@])"), 'ab'],
  ['joins 16 MB', "join('',[@,@,@,@,@,@,@,@,@])", text],
  [
    'compares two values that share their parts',
    `{a: (${times(30, '[@,@]')}), b: (${times(30, '[@,@]')})} | a == b`,
    1,
  ],
  ['sorts 500,000 items', 'sort(@)', numbers],
  ['sorts 500,000 items by themselves', 'sort_by(@, &@)', numbers],
  ['filters 500,000 items', times(30, '[?@ >= `0`]'), numbers],
  ['projects 500,000 items', times(100, '[*]'), numbers],
  ['reverses 500,000 items', times(100, 'reverse(@)'), numbers],
  ['slices 500,000 items', times(100, '[::-1]'), numbers],
  ['sums 500,000 items', many(400, 'sum(@)'), numbers],
  ['writes 500,000 items', many(100, 'to_string(@)'), numbers],
  ['flattens 500,000 empty lists', many(900, '@[]'), list(500_000, () => [])],
  ['finds unique items', 'unique(@)', list(10_000, (n) => ({ n }))],
  ['groups 400,000 items', 'group_by(@, &k)', list(400_000, (n) => ({ k: `${n}` }))],
  ['makes 300 keys of 10,000 items', `[*].{${list(300, (n) => `k${n}: @`).join(',')}}`, list(10_000, (n) => n)],
  ['merges 100,000 keys', many(200, 'merge(@,@)'), object],
  ['lists 100,000 keys', many(200, 'items(@)'), object],
  ['splits 2 MB', "split(@, '')", text],
  ['changes the case of 2 MB', times(100, 'upper(lower(@))'), text],
  ['reverses 2 MB', times(100, 'reverse(@)'), text],
  ['searches 2 MB for 3,000 characters', `contains(@, 'b${'a'.repeat(3_000)}')`, text],
  ['nests lists', times(900, '[@]'), 1],
  ['compares deep literals', `\`${'['.repeat(900)}${']'.repeat(900)}\` == \`${'['.repeat(900)}${']'.repeat(900)}\``, 1],
];

/** What it is, its text, and whether that is no JSON. */
export const hostileResults: readonly (readonly [string, string, boolean])[] = [
  ['500,000 numbers', JSON.stringify(numbers), false],
  ['100,000 keys', JSON.stringify(object), false],
  ['100,000 levels of lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, true],
  ['4,500,000 levels of lists', `${'['.repeat(4_500_000)}${']'.repeat(4_500_000)}`, true],
  ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, true],
  ['9 MB in one line', 'words and more '.repeat(600_000), true],
  ['9 MB of lines', 'a\n'.repeat(4_500_000), true],
  ['a string of 9 MB', JSON.stringify(['a'.repeat(9_000_000)]), false],
  ['one item of 9 MB', JSON.stringify([{ list: list(300_000, (n) => ({ id: n, name: `name ${n}` })) }]), false],
  ['a string of backslashes', `["${'\\\\'.repeat(4_000_000)}"]`, false],
  ['a string without an end', `["${'\\"'.repeat(4_000_000)}`, true],
];
