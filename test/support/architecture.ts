import { posix } from 'node:path';
import { type Import, readSource } from './source-facts.js';

/** What a zone may take from another: everything, its types, or a few files. What is not said is forbidden. */
export type Permission = 'values' | 'types' | { readonly files: readonly string[] };

export interface Zone {
  /** Zones of `src/`; what is not listed is forbidden. A zone may always import from itself. */
  readonly may: Readonly<Record<string, Permission>>;
  /** `types` of any SDK package, or one package by name, or nothing. */
  readonly sdk?: 'types' | '@modelcontextprotocol/client' | '@modelcontextprotocol/server';
}

/** Which files may use a global: the zones and files listed; `atCallTime` ones only inside of functions. */
export interface GlobalRule {
  readonly use: string;
  readonly members: readonly string[];
  readonly allowedIn: readonly string[];
  readonly atCallTimeIn?: readonly string[];
}

/** Files by their path in `src/`. */
export type Sources = ReadonlyMap<string, string>;

/** `main`, `index`, a folder's name, or `leaf` for any other file at the root. */
function zoneOf(path: string): string {
  const [first = '', ...rest] = path.split('/');
  if (rest.length > 0) return first;
  return first === 'main.ts' || first === 'index.ts' ? first.replace('.ts', '') : 'leaf';
}

export function importFaults(sources: Sources, zones: Readonly<Record<string, Zone>>): string[] {
  return eachImport(sources).flatMap(({ path, found }) => {
    const zone = zones[zoneOf(path)];
    const fault = zone ? faultOf(path, found, zone, sources) : `no rule for the zone '${zoneOf(path)}'`;
    return fault === undefined ? [] : [`${path}:${found.line} imports '${found.specifier}': ${fault}`];
  });
}

function faultOf(path: string, found: Import, zone: Zone, sources: Sources): string | undefined {
  if (found.specifier === '<computed>') return 'a computed import cannot be checked';
  if (found.specifier.startsWith('@modelcontextprotocol/')) return sdkFault(found, zone);
  if (!found.specifier.startsWith('.')) return packageFault(path, found);
  const target = targetOf(path, found.specifier);
  if (!sources.has(target)) return 'it is no source file of ours';
  if (zoneOf(target) === zoneOf(path)) return undefined;
  const permission = zone.may[zoneOf(target)];
  if (permission === undefined) return `${zoneOf(path)} may not import ${zoneOf(target)}`;
  if (permission === 'values') return undefined;
  if (permission === 'types') return found.typeOnly ? undefined : 'types only';
  return permission.files.includes(target) ? undefined : `of ${zoneOf(target)} only ${permission.files.join(', ')}`;
}

function packageFault(path: string, { specifier, names }: Import): string | undefined {
  // It loads one module, and late.
  if (path === 'crypto.ts' && names.join() === 'createRequire') return undefined;
  if (/^(node:)?(process|module)$/.test(specifier)) return 'use the globals, so that their use can be checked';
  // The object `z` holds all of zod, every locale included; through a namespace the bundler takes what is used.
  if (specifier === 'zod' && names.some((name) => name === 'z' || name === 'default')) return 'write `import * as z`';
  return undefined;
}

function sdkFault({ specifier, typeOnly }: Import, { sdk }: Zone): string | undefined {
  if (sdk === undefined) return 'this zone does not know the SDK';
  if (sdk === 'types') return typeOnly ? undefined : 'only types of the SDK';
  return specifier === sdk || specifier.startsWith(`${sdk}/`) ? undefined : `of the SDK only ${sdk}`;
}

/** Every cycle once, as the chain of files that closes it. Types count: files that need each other's types are one file in two. */
export function importCycles(sources: Sources): string[] {
  const targets = new Map<string, string[]>();
  for (const { path, found } of eachImport(sources)) {
    if (found.specifier.startsWith('.'))
      targets.set(path, [...(targets.get(path) ?? []), targetOf(path, found.specifier)]);
  }
  const finished = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (finished.has(path) || trail.includes(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  }
  for (const path of sources.keys()) visit(path, []);
  return cycles;
}

export function globalFaults(sources: Sources, rules: readonly GlobalRule[]): string[] {
  return [...sources].flatMap(([path, code]) =>
    readSource(code).globals.flatMap(({ object, member, atCallTime, line }) => {
      const broken = rules.some((rule) => {
        if (rule.use !== object || !rule.members.some((known) => known === member || known === '*' || member === '*'))
          return false;
        if (listed(path, rule.allowedIn)) return false;
        return !(atCallTime && listed(path, rule.atCallTimeIn ?? []));
      });
      return broken ? [`${path}:${line} uses ${object}.${member}`] : [];
    }),
  );
}

function listed(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || zoneOf(path) === place);
}

function eachImport(sources: Sources): { path: string; found: Import }[] {
  return [...sources].flatMap(([path, code]) => readSource(code).imports.map((found) => ({ path, found })));
}

function targetOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
}
