import { expect, test } from 'vitest';
import type { Command } from '../command.js';
import { parse } from './parse.js';

const command: Command = {
  name: 'call',
  group: 'Use',
  usage: 'TOOLBOX SERVER TOOL [key=value …]',
  summary: 'calls a tool',
  words: ['toolbox', 'server', 'tool', 'argument'],
  needs: 3,
  options: {
    config: { short: 'c', value: 'FILE', about: '' },
    args: { value: 'JSON', about: '' },
    json: { about: '' },
    help: { short: 'h', about: '' },
  },
  examples: ['', ''],
};
const short: Command = { ...command, name: 'tools', usage: '[TOOLBOX]', words: ['toolbox'], needs: 0 };

const wordsOf = (args: string[], of = command) => {
  const parsed = parse(of, args);
  return 'problem' in parsed ? parsed.problem : parsed.words;
};

test.each([[['a b', 'ü/✓', '__proto__', 'key=value', 'x:=1', '=']], [['dev', 'github', 'tool', 'a=-1', 'b=--json']]])(
  '%j are words as they are',
  (words) => {
    expect(wordsOf(words)).toEqual(words);
  },
);

test('options stand anywhere before --, and after it everything is a word', () => {
  const parsed = parse(command, ['--json', 'dev', '-c', 'a.json', 'srv', 'tool', '--', '-x', '--config']);
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(parsed.words).toEqual(['dev', 'srv', 'tool', '-x', '--config']);
  expect([parsed.flag('json'), parsed.flag('help'), parsed.value('config'), parsed.value('args')]).toEqual([
    true,
    false,
    'a.json',
    undefined,
  ]);
});

test.each([
  [['--config=a=b'], 'a=b'],
  [['-ca.json'], 'a.json'],
  [['--config=-x'], '-x'],
  [['--config', '-'], '-'],
])('%j has the value %j', (args, expected) => {
  const parsed = parse(short, args);
  expect('problem' in parsed ? parsed.problem : parsed.value('config')).toBe(expected);
});

test.each([
  [['--jsn'], 'Unknown option --jsn. Did you mean --json?'],
  [['-x'], 'Unknown option -x. A name that begins with - comes after --.'],
  [['--__proto__'], 'Unknown option --__proto__. A name that begins with - comes after --.'],
  [['--constructor=1'], 'Unknown option --constructor. A name that begins with - comes after --.'],
  [['--json=yes'], '--json takes no value.'],
  [['--config'], '--config needs a FILE.'],
  [['--config='], '--config needs a FILE.'],
  [['-c', '--json'], '--config needs a FILE, and --json is an option. If it is meant: --config=--json'],
  [['--config', 'a', '-c', 'b'], '--config can be given only once.'],
  [['--json', '--json'], '--json can be given only once.'],
  [['a', 'b'], "Unexpected 'b'. It takes [TOOLBOX]."],
])('%j is refused', (args, problem) => {
  expect(wordsOf(args, short)).toBe(problem);
});

test('words that are needed are asked for', () => {
  expect(wordsOf(['dev', 'srv'])).toBe('call needs TOOLBOX SERVER TOOL [key=value …].');
});

test('an option that repeats has all its values, and -- is where the words before it end', () => {
  const repeating: Command = { ...command, options: { env: { short: 'e', value: 'NAME', repeats: true, about: '' } } };
  const parsed = parse(repeating, ['-e', 'A', 'dev', '-eB=1', 'srv', '--env=C', 'x', '--', '-e', 'D', '--']);
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(parsed.values('env')).toEqual(['A', 'B=1', 'C']);
  expect([parsed.words, parsed.wordsBefore]).toEqual([['dev', 'srv', 'x', '-e', 'D', '--'], 3]);
  expect(wordsOf(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
});
