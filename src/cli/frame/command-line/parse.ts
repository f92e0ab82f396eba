import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../../../text/nearest.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call, Command } from '../command.js';

export type Parsed =
  | Pick<Call, 'words' | 'wordsBefore' | 'args' | 'flag' | 'value' | 'values'>
  | { readonly problem: string };

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Reads the words and options after the name of a command. Options may stand anywhere before `--`; after it all are words. */
export function parse(command: Command, args: readonly string[]): Parsed {
  const { options } = command;
  const { tokens } = parseArgs({ args: [...args], options: typesOf(options), strict: false, tokens: true });
  const given = new Map<string, (string | undefined)[]>();
  let wordsBefore: number | undefined;
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind === 'option-terminator') wordsBefore = words.length;
    if (token.kind !== 'option') continue;
    const known = given.get(token.name) ?? [];
    const isTwice = known.length > 0 && options[token.name]?.repeats !== true;
    const problem = optionProblem(command, token) ?? (isTwice ? twice(token.name) : undefined);
    if (problem !== undefined) return { problem };
    given.set(token.name, [...known, token.value]);
  }
  // `--help` works with wrong words, too.
  const problem = given.has('help') ? undefined : wordProblem(command, words);
  if (problem !== undefined) return { problem };
  return {
    words,
    wordsBefore,
    args,
    flag: (name) => given.has(name),
    value: (name) => given.get(name)?.[0],
    values: (name) => given.get(name)?.flatMap((value) => value ?? []) ?? [],
  };
}

function typesOf(options: Command['options']): NonNullable<ParseArgsConfig['options']> {
  const types = Object.entries(options).map(
    ([name, { value, short }]) =>
      [name, { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) }] as const,
  );
  return Object.fromEntries(types);
}

function optionProblem(command: Command, token: OptionToken): string | undefined {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option === undefined) return unknownOption(command, rawName);
  if (option.value === undefined) return value === undefined ? undefined : `--${name} takes no value.`;
  const needed = `--${name} needs ${withArticle(option.value)}`;
  if (value === undefined || value === '') return `${needed}.`;
  // `-` alone is stdin.
  const isOption = inlineValue === false && /^-./s.test(value);
  if (isOption) return `${needed}, and ${value} is an option. If it is meant: --${name}=${shellQuote(value)}`;
  const { fits } = option;
  return fits === undefined || fits.pattern.test(value) ? undefined : `${needed} of ${fits.says}.`;
}

function unknownOption({ options, words }: Command, rawName: string): string {
  const [similar] = rawName.startsWith('--') ? nearest(rawName.slice(2), Object.keys(options), 1) : [];
  if (similar !== undefined) return `Unknown option ${rawName}. Did you mean --${similar}?`;
  const names = words.includes('toolbox') ? ' A name that begins with - comes after --.' : '';
  return `Unknown option ${rawName}.${names}`;
}

function wordProblem({ name, words, needs = 0, usage }: Command, given: readonly string[]): string | undefined {
  const isOpen = words.at(-1) === 'argument';
  const [extra] = isOpen ? [] : given.slice(words.length);
  if (extra !== undefined) return `Unexpected '${extra}'. It takes ${usage || 'nothing'}.`;
  return given.length < needs ? `${name} needs ${usage}.` : undefined;
}

function twice(name: string): string {
  return `--${name} can be given only once.`;
}

function withArticle(noun: string): string {
  if (noun.endsWith('S')) return noun;
  return /^[AEIOU]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
}
