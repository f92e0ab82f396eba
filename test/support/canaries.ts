import { createHash } from 'node:crypto';

/** A secret that is recognized wherever a part of it turns up. */
export interface Canary {
  readonly name: string;
  readonly value: string;
  /** What must not be seen, whatever is around it. */
  readonly cores: readonly string[];
}

type Shape = (core: string, other: string) => string;

/** What secrets look like. */
const shapes: Readonly<Record<string, Shape>> = {
  hexadecimal: (core) => `${core}00ff00ff00ff`,
  base64: (core) => `wJ/${core}+K7/x==`,
  jwt: (core, other) => `eyJhbGciOiJub25lIn0.${core}.${other}`,
  privateKey: (core, other) => `-----BEGIN PRIVATE KEY-----\nMIIE${core}\n${other}AA==\n-----END PRIVATE KEY-----\n`,
  keyOnOneLine: (core, other) => `-----BEGIN KEY-----\\nMIIE${core}\\n${other}AA==\\n-----END KEY-----`,
  accessKey: (core) => `AKIA${core}`,
  connection: (core) => `postgres://me:${core}@db.example.com:5432/x`,
  list: (core) => `Server=tcp:db,1433;User ID=me;Password=${core};`,
  prefixed: (core) => `ghp_${core}`,
  uuid: (core) => `f47ac10b-58cc-4372-a567-${core}`,
  quotes: (core) => `"it's ${core}"`,
  backslashes: (core) => `a\\${core}\\n\\\\b`,
  unicode: (core) => `pässwörd-${core}-✓`,
  spaces: (core) => `correct horse ${core} battery`,
  percent: (core) => `50%25${core}%zz%`,
  dollars: (core) => `$&${core}$1$$`,
  pattern: (core) => `^(${core})+[a-z]*$?|.`,
  path: (core) => `/${core}/bPxRf`,
  address: (core) => `https://hooks.example.com/services/T0/${core}`,
  number: (core) => BigInt(`0x${core}`).toString().padStart(15, '7').slice(-15),
  short: (core) => core.slice(0, 6),
  windowsLines: (core, other) => `first\r\n${core}\r\n${other}\r\n`,
  json: (core) => `{"token":"${core}","b":[1]}`,
  control: (core) => `a\t${core}\u0001b`,
};

export const shapeCount = Object.keys(shapes).length;

/** One secret of each shape, all of them used nowhere else. */
export function canariesFor(place: string): Canary[] {
  return Object.entries(shapes).map(([shape, make]) => {
    const value = make(coreOf(place, shape, 1), coreOf(place, shape, 2));
    const cores = [coreOf(place, shape, 1), coreOf(place, shape, 2)].filter((core) => value.includes(core));
    // Six characters are masked where the name says that it is a secret, and so is what begins like a path.
    const isByName = shape === 'short' || shape === 'path';
    const name = `${place}_${shape}${isByName ? '_API_KEY' : ''}`.toUpperCase();
    return { name, value, cores: cores.length === 0 ? [value] : cores };
  });
}

function coreOf(...parts: (string | number)[]): string {
  return createHash('sha256').update(parts.join('/')).digest('hex').slice(0, 12);
}

/** Finds the canaries of which a part is in a text, plain, in hexadecimal digits or in any kind of base64. */
export function createWatch(canaries: readonly Canary[]): (text: string) => string[] {
  // By their first characters: there are hundreds of traces, and the texts are long.
  const traces = new Map<string, { readonly trace: string; readonly name: string }[]>();
  for (const { name, cores } of canaries) {
    for (const trace of cores.flatMap(tracesOf)) {
      const key = trace.slice(0, keyLength);
      traces.set(key, [...(traces.get(key) ?? []), { trace, name }]);
    }
  }
  return (text) => {
    const seen = new Set<string>();
    for (let at = 0; at < text.length; at++) {
      for (const { trace, name } of traces.get(text.slice(at, at + keyLength)) ?? []) {
        if (text.startsWith(trace, at)) seen.add(name);
      }
    }
    return [...seen];
  };
}

const keyLength = 5;

/** Without the characters of base64 that depend on what is around. */
function tracesOf(core: string): string[] {
  const inside = [0, 1, 2].map((before) => {
    const base64 = Buffer.from(`${'\0'.repeat(before)}${core}`).toString('base64');
    return base64.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1);
  });
  return [core, ...inside, Buffer.from(core).toString('hex')];
}
