import { isRecord } from '../jsonrpc/json.js';

/** Which part of a result is wanted. */
export interface ResultOptions {
  /** A JMESPath expression, applied to the value of the result. */
  readonly select?: string | undefined;
  /** A text: the answer is the places where it occurs. */
  readonly find?: string | undefined;
  /** The item of a list, or the character of anything else, to begin with. */
  readonly from?: number | undefined;
  /** At most so many characters. */
  readonly max?: number | undefined;
  /** The id of a kept result. Nothing is called. */
  readonly of?: string | undefined;
  /** Ends the call if it still runs. Only with `of`. */
  readonly cancel?: boolean | undefined;
}

/** What is wrong, and where below `result`. */
export interface OptionFault {
  readonly path: readonly string[];
  readonly message: string;
}

const leastMax = 100;
const checks: Readonly<Record<keyof ResultOptions, (value: unknown) => string | undefined>> = {
  select: expectText,
  find: (value) => expectText(value) ?? (value === '' ? 'Text cannot be empty' : undefined),
  from: (value) => expectWhole(value, 0),
  max: (value) => expectWhole(value, leastMax),
  of: expectText,
  cancel: expectBoolean,
};

/** The value of `result`: undefined if it asks for nothing. Models may send it as the text of an object. */
export function readResultOptions(value: unknown): { options?: ResultOptions | undefined; faults: OptionFault[] } {
  const given = typeof value === 'string' ? (objectIn(value) ?? value) : (value ?? {});
  if (!isRecord(given)) return { faults: [{ path: [], message: `Expected object, received ${typeName(value)}` }] };
  const keys = Object.keys(given).filter((key) => given[key] !== undefined);
  if (keys.length === 0) return { faults: [] };
  const faults: OptionFault[] = [];
  const unknown = keys.filter((key) => !Object.hasOwn(checks, key));
  if (unknown.length > 0) {
    const names = unknown.map((key) => `'${key}'`).join(', ');
    faults.push({ path: [], message: `Unrecognized key(s) in object: ${names}` });
  }
  for (const [key, check] of Object.entries(checks)) {
    const message = given[key] === undefined ? undefined : check(given[key]);
    if (message !== undefined) faults.push({ path: [key], message });
  }
  if (given['select'] !== undefined && given['find'] !== undefined)
    faults.push({ path: [], message: 'select and find exclude each other' });
  if (given['cancel'] === true && given['of'] === undefined) faults.push({ path: ['cancel'], message: 'only with of' });
  return faults.length > 0 ? { faults } : { options: given, faults };
}

/** As the messages of the contract name it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function expectText(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : `Expected string, received ${typeName(value)}`;
}

function expectBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : `Expected boolean, received ${typeName(value)}`;
}

function expectWhole(value: unknown, least: number): string | undefined {
  return Number.isInteger(value) && Number(value) >= least ? undefined : `Expected a whole number from ${least} on`;
}

function objectIn(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
