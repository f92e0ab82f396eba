import { isRecord } from '../../jsonrpc/json.js';
import { emptyObject } from './define.js';
import type { Comparator, Elements, Expression } from './expression.js';
import { callFunction } from './functions.js';
import { Run } from './run.js';

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/**
 * The value that an expression selects from a JSON value. Throws a SelectFault if a function gets a wrong type, or after
 * 500,000 steps. Objects in it have no prototype. It may share its parts many times: write it with `writeJson` only.
 */
export function evaluate(expression: Expression, value: unknown): unknown {
  return visit(expression, value, new Run());
}

function visit(node: Expression, value: unknown, run: Run): unknown {
  run.spend(1);
  switch (node.kind) {
    case 'current':
      return value;
    case 'literal':
      return node.value;
    case 'field':
      return isRecord(value) && Object.hasOwn(value, node.name) ? value[node.name] : null;
    case 'index':
      return Array.isArray(value) ? (value.at(node.index) ?? null) : null;
    case 'chain':
      return node.steps.reduce((selected: unknown, step) => visit(step, selected, run), value);
    case 'project':
      return project(node, value, run);
    case 'list':
      return value === null ? null : node.items.map((item) => visit(item, value, run));
    case 'object':
      return value === null ? null : makeObject(node, value, run);
    case 'any':
      return firstThat(true, node.of, value, run);
    case 'all':
      return firstThat(false, node.of, value, run);
    case 'not':
      return !run.isTrue(visit(node.of, value, run));
    case 'compare':
      return compare(node.operator, visit(node.left, value, run), visit(node.right, value, run), run);
    case 'call':
      return callFunction(
        node.name,
        node.args.map((argument) => visit(argument, value, run)),
        run,
      );
    case 'reference':
      return (item: unknown) => visit(node.of, item, run);
  }
}

function makeObject(node: Of<'object'>, value: unknown, run: Run): unknown {
  const made = emptyObject();
  for (const [key, entry] of node.entries) {
    run.spend(3);
    made[key] = visit(entry, value, run);
  }
  return made;
}

/** The first value that counts as true, or as false; else the last one. */
function firstThat(isTrue: boolean, nodes: readonly Expression[], value: unknown, run: Run): unknown {
  let result: unknown = null;
  for (const node of nodes) {
    result = visit(node, value, run);
    if (run.isTrue(result) === isTrue) break;
  }
  return result;
}

function compare(operator: Comparator, left: unknown, right: unknown, run: Run): unknown {
  if (operator === '==') return run.areEqual(left, right);
  if (operator === '!=') return !run.areEqual(left, right);
  run.spend(1);
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function project({ over, body }: Of<'project'>, value: unknown, run: Run): unknown {
  const elements = elementsOf(over, value, run);
  if (elements === undefined) return null;
  const results: unknown[] = [];
  for (const element of elements) {
    run.spend(1);
    if (over.kind === 'filter' && !run.isTrue(visit(over.test, element, run))) continue;
    const result = body.kind === 'current' ? element : visit(body, element, run);
    if (result !== null) results.push(result);
  }
  return results;
}

function elementsOf(over: Elements, value: unknown, run: Run): Iterable<unknown> | undefined {
  if (over.kind === 'values') return isRecord(value) ? run.keys(value).map((key) => value[key]) : undefined;
  if (!Array.isArray(value)) return undefined;
  if (over.kind === 'flat') return flattened(value, run);
  return over.kind === 'slice' ? slice(value, over.bounds) : value;
}

function* flattened(items: readonly unknown[], run: Run): Iterable<unknown> {
  for (const item of items) {
    // `project` counts what it gets, and of an empty list it gets nothing.
    run.spend(1);
    if (Array.isArray(item)) yield* item;
    else yield item;
  }
}

function* slice(
  items: readonly unknown[],
  [start, stop, step = 1]: readonly (number | undefined)[],
): Iterable<unknown> {
  const { length } = items;
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: number) => Math.min(Math.max(bound < 0 ? bound + length : bound, least), most);
  const end = stop === undefined ? (step > 0 ? length : -1) : clamp(stop);
  for (
    let at = start === undefined ? (step > 0 ? 0 : length - 1) : clamp(start);
    step > 0 ? at < end : at > end;
    at += step
  ) {
    yield items[at];
  }
}
