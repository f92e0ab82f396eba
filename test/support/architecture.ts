import { posix } from 'node:path';
import { type Import, readSource } from './source-facts.js';

/** What a zone may import from another: everything, its types, or a few of its folders. */
export type Permission = 'values' | 'types' | { readonly folders: readonly string[] };

export interface Zone {
  /** Zones of `src/`; what is not listed is forbidden. A zone may always import from itself. */
  readonly may: Readonly<Record<string, Permission>>;
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

/** The name of the top folder, or of a file at the root. */
function zoneOf(path: string): string {
  const [first = ''] = path.split('/');
  return first.replace('.ts', '');
}

export function importFaults(sources: Sources, zones: Readonly<Record<string, Zone>>): string[] {
  return eachImport(sources).flatMap(({ path, found }) => {
    const zone = zones[zoneOf(path)];
    const fault = zone ? faultOf(path, found, zone, sources) : `no rule for the zone '${zoneOf(path)}'`;
    return fault === undefined ? [] : [`${path}:${found.line} imports '${found.specifier}': ${fault}`];
  });
}

/** Permissions that no import makes use of, as `zone → other`. */
export function unusedPermissions(sources: Sources, zones: Readonly<Record<string, Zone>>): string[] {
  const used = new Set(edgesOf(sources, zoneOf).map((edge) => edge.join(' → ')));
  const granted = Object.entries(zones).flatMap(([zone, { may }]) =>
    Object.keys(may).map((other) => `${zone} → ${other}`),
  );
  return granted.filter((permission) => !used.has(permission));
}

function faultOf(path: string, found: Import, zone: Zone, sources: Sources): string | undefined {
  if (found.specifier === '<computed>') return 'a computed import cannot be checked';
  if (found.specifier.startsWith('@modelcontextprotocol/')) return sdkFault(path, found);
  if (!found.specifier.startsWith('.')) return packageFault(found);
  const target = targetOf(path, found.specifier);
  if (!sources.has(target)) return 'it is not a source file of this project';
  if (zoneOf(target) === zoneOf(path)) return undefined;
  const permission = zone.may[zoneOf(target)];
  if (permission === undefined) return `${zoneOf(path)} may not import ${zoneOf(target)}`;
  if (permission === 'values') return undefined;
  if (permission === 'types') return found.typeOnly ? undefined : 'types only';
  return permission.folders.includes(posix.dirname(target))
    ? undefined
    : `of ${zoneOf(target)} only ${permission.folders.join(', ')}`;
}

/** Its transports for HTTP are used, in a part of their own. */
function sdkFault(path: string, { specifier }: Import): string | undefined {
  const isTransport = /^downstream\/(http|oauth)\//.test(path) && specifier === '@modelcontextprotocol/client';
  return isTransport ? undefined : 'of the SDK only downstream/http and downstream/oauth may import the client';
}

function packageFault({ specifier, names }: Import): string | undefined {
  if (/^(node:)?(process|module)$/.test(specifier)) return 'use the globals, so that their use can be checked';
  // The object `z` contains all of zod, every locale included; with a namespace the bundler keeps only what is used.
  if (specifier === 'zod' && names.some((name) => name === 'z' || name === 'default')) return 'write `import * as z`';
  return undefined;
}

/** Every cycle once, as a chain of files. Imports of types count too. */
export function importCycles(sources: Sources): string[] {
  return cyclesIn(edgesOf(sources, (path) => path));
}

/** Every cycle between folders once, at any depth. A folder and its subfolder are two folders. */
export function folderCycles(sources: Sources): string[] {
  // Files at the root belong to no folder.
  const inFolders = edgesOf(sources, (path) => posix.dirname(path)).filter(([from, to]) => from !== '.' && to !== '.');
  return cyclesIn(inFolders.filter(([from, to]) => from !== to));
}

type Edge = readonly [from: string, to: string];

function edgesOf(sources: Sources, nodeOf: (path: string) => string): Edge[] {
  return eachImport(sources)
    .filter(({ found }) => found.specifier.startsWith('.'))
    .map(({ path, found }) => [nodeOf(path), nodeOf(targetOf(path, found.specifier))]);
}

function cyclesIn(edges: readonly Edge[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of edges) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const finished = new Set<string>();
  const cycles: string[] = [];
  function visit(node: string, trail: readonly string[]): void {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
    if (finished.has(node) || trail.includes(node)) return;
    for (const target of targets.get(node) ?? []) visit(target, [...trail, node]);
    finished.add(node);
  }
  for (const node of targets.keys()) visit(node, []);
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
