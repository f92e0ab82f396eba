import type { Node } from 'jsonc-parser';
import { type KeyPath, Misfit } from './document.js';

/** A member of an object: its property node and what is in it. */
export interface Member {
  readonly name: string;
  readonly property: Node;
  readonly value: Node;
}

/** An object with thousands of members is asked for each of them. */
const known = new WeakMap<Node, readonly Member[]>();

export function membersOf(object: Node | undefined): readonly Member[] {
  if (object?.type !== 'object') return [];
  const members = known.get(object) ?? readMembers(object);
  known.set(object, members);
  return members;
}

function readMembers(object: Node): Member[] {
  return (object.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [{ name: String(key.value), property, value }];
  });
}

/** The member of a name. Throws if there are two. */
export function memberOf(object: Node | undefined, name: string): Member | undefined {
  const [member, second] = membersOf(object).filter((one) => one.name === name);
  if (second !== undefined) throw twice(second);
  return member;
}

/** The node at a place; undefined if there is none. Throws if a key on the way occurs twice. */
export function nodeAt(root: Node | undefined, at: KeyPath): Node | undefined {
  return at.reduce<Node | undefined>((node, key) => memberOf(node, key)?.value, root);
}

export function twice({ name, property }: Member): Misfit {
  return new Misfit(`has the key ${JSON.stringify(name)} twice.`, property.offset);
}

export function endOf({ offset, length }: Node): number {
  return offset + length;
}
