import { cutToWidth } from '../../../text/display-width.js';
import { Interrupted } from './interrupted.js';
import type { Signs } from './marks.js';
import { askText, keyboard } from './prompt.js';
import { readline } from './readline.js';

/** A question with answers to choose from. */
export interface Choice {
  readonly question: string;
  readonly options: readonly string[];
  /** What is chosen at first: one answer, or any number of them. */
  readonly chosen: ReadonlySet<number>;
  readonly isMany: boolean;
}

/** Asks for one answer. Ctrl-C and the end of the input are `Interrupted`. */
export async function choose(question: string, options: readonly string[], signs: Signs): Promise<number> {
  const [answer = 0] = await ask({ question, options, chosen: new Set([0]), isMany: false }, signs);
  return answer;
}

/** Asks for any number of answers. */
export async function chooseMany(
  question: string,
  options: readonly string[],
  chosen: ReadonlySet<number>,
  signs: Signs,
): Promise<number[]> {
  const answers = await ask({ question, options, chosen, isMany: true }, signs);
  return [...answers].toSorted((one, other) => one - other);
}

function ask(choice: Choice, signs: Signs): Promise<ReadonlySet<number>> {
  const { rows, isTTY } = process.stderr;
  const canDraw = isTTY && keyboard().isTTY && !['dumb', ''].includes(process.env['TERM'] ?? 'windows');
  return canDraw && (rows || 24) > choice.options.length + 2 ? askWithKeys(choice, signs) : askForNumbers(choice);
}

/** What a key makes of a list. */
export interface Selection {
  readonly at: number;
  readonly chosen: ReadonlySet<number>;
}

export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** Undefined for a key that means nothing here. Letters and numbers only move: what is typed ahead must not decide. */
export function pressed(
  { name, sequence = '' }: Key,
  { options, isMany }: Choice,
  now: Selection,
): Selection | undefined {
  const moveTo = (at: number) => ({ at, chosen: isMany ? now.chosen : new Set([at]) });
  const count = options.length;
  if (name === 'down' || name === 'right' || name === 'tab') return moveTo((now.at + 1) % count);
  if (name === 'up' || name === 'left') return moveTo((now.at + count - 1) % count);
  if (isMany && name === 'space') return { ...now, chosen: toggled(now.chosen, now.at) };
  if (isMany && name === 'a') return { ...now, chosen: new Set(now.chosen.size === count ? [] : options.keys()) };
  const wanted = /^[1-9]$/.test(sequence)
    ? Number(sequence) - 1
    : options.findIndex((option) => sequence !== '' && option.toLowerCase().startsWith(sequence.toLowerCase()));
  return wanted >= 0 && wanted < count ? moveTo(wanted) : undefined;
}

function toggled(chosen: ReadonlySet<number>, at: number): ReadonlySet<number> {
  return new Set(chosen.has(at) ? [...chosen].filter((one) => one !== at) : [...chosen, at]);
}

function askWithKeys(choice: Choice, signs: Signs): Promise<ReadonlySet<number>> {
  const { stderr } = process;
  const stdin = keyboard();
  let now: Selection = { at: 0, chosen: choice.chosen };
  const draw = () => stderr.write(listOf(choice, now, signs));
  const clear = () => stderr.write(`\u001B[${choice.options.length + 1}A\r\u001B[J`);
  return new Promise<ReadonlySet<number>>((resolve, reject) => {
    const finish = (settle: () => void) => {
      stdin.off('keypress', onKey).off('end', onEnd);
      stdin.setRawMode(false).pause();
      settle();
    };
    const interrupt = () => finish(() => reject(new Interrupted('Nothing was changed.')));
    const onEnd = () => interrupt();
    const onKey = (_: unknown, key: Key) => {
      if (key.name === 'escape' || (key.ctrl === true && ['c', 'd'].includes(key.name ?? ''))) return interrupt();
      if (key.name === 'return' || key.name === 'enter') {
        clear();
        stderr.write(`${answerLine(choice, now, signs)}\n`);
        return finish(() => resolve(now.chosen));
      }
      const next = pressed(key, choice, now);
      if (next === undefined) return;
      now = next;
      clear();
      draw();
    };
    readline().emitKeypressEvents(stdin);
    stdin.setRawMode(true).on('keypress', onKey).on('end', onEnd).resume();
    draw();
  });
}

function listOf(
  { question, options, isMany }: Choice,
  { at, chosen }: Selection,
  { isUnicode, ellipsis }: Signs,
): string {
  const [on, off] = isMany ? (isUnicode ? ['◼', '◻'] : ['[x]', '[ ]']) : isUnicode ? ['●', '○'] : ['(*)', '( )'];
  const width = (process.stderr.columns || 80) - 1;
  const help = isMany ? 'space chooses, a all, Enter ends' : 'arrows, Enter';
  const lines = [
    `${isUnicode ? '◆' : '?'} ${question}   (${help})`,
    ...options.map((option, index) => `${index === at ? '>' : ' '} ${chosen.has(index) ? on : off} ${option}`),
  ];
  return lines.map((line) => `${cutToWidth(line, width, ellipsis)}\n`).join('');
}

function answerLine({ question, options }: Choice, { chosen }: Selection, { isUnicode }: Signs): string {
  const answers = options.filter((_, index) => chosen.has(index)).join(', ');
  return `${isUnicode ? '◆' : '?'} ${question} ${answers || 'none'}`;
}

/** For a terminal that cannot draw. */
async function askForNumbers(choice: Choice): Promise<ReadonlySet<number>> {
  const { question, options, isMany } = choice;
  process.stderr.write(`${question}\n${options.map((option, index) => `  ${index + 1}  ${option}\n`).join('')}`);
  const prompt = isMany ? 'Numbers, all or none: ' : `Number (1 to ${options.length}): `;
  for (;;) {
    const line = await askText(prompt, new AbortController().signal);
    if (line === undefined) throw new Interrupted('Nothing was changed.');
    const answer = numbersIn(line, choice);
    if (answer !== undefined) return answer;
  }
}

/** Undefined if a line is not an answer. */
export function numbersIn(line: string, { options, isMany }: Choice): ReadonlySet<number> | undefined {
  if (isMany && /^all$/i.test(line)) return new Set(options.keys());
  if (isMany && /^none$/i.test(line)) return new Set();
  const numbers = line.split(/[\s,]+/).filter((word) => word !== '');
  const isValid =
    numbers.length > 0 &&
    numbers.every((word) => /^\d+$/.test(word) && Number(word) >= 1 && Number(word) <= options.length);
  if (!isValid || (!isMany && numbers.length > 1)) return undefined;
  return new Set(numbers.map((word) => Number(word) - 1));
}
