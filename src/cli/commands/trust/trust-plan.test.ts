import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseFile } from '../../../config/read/parse.js';
import { createHideSecrets } from '../../../config/trust/hide-secrets.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { fileSettingsOf } from './entry-settings.js';
import { pairsShown, planOf, planText } from './trust-plan.js';

// The schema as editors read it: a test keeps it equal to that of the program.
const schema: unknown = JSON.parse(
  readFileSync(new URL('../../../../schema/workbench-config.schema.json', import.meta.url), 'utf8'),
);

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce((one, key) => (isRecord(one) ? one[key] : undefined), value);
}

/** A value of a schema with a mark that the screen must show. */
interface Sample {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly shown: string;
}

const canary = 'canary';
const variable = 'CANARY_VARIABLE';

/** Values for every leaf of a schema: each kind of string that it may want, and each with a variable in it. */
function samplesOf(part: unknown, path: readonly string[]): Sample[] {
  const reference = at(part, '$ref');
  if (typeof reference === 'string')
    return samplesOf(at(schema, 'definitions', reference.split('/').at(-1) ?? ''), path);
  const choices = at(part, 'anyOf');
  if (Array.isArray(choices)) return choices.flatMap((choice) => samplesOf(choice, path));
  const properties = at(part, 'properties');
  if (isRecord(properties))
    return Object.entries(properties).flatMap(([key, one]) =>
      samplesOf(one, [...path, key]).map((sample) => ({ ...sample, value: { [key]: sample.value } })),
    );
  const words = at(part, 'enum');
  const type = at(part, 'type');
  if (Array.isArray(words)) return words.map((word) => ({ path, value: word, shown: '' }));
  if (type === 'boolean') return [{ path, value: at(part, 'const') ?? true, shown: '' }];
  if (type === 'integer') return [{ path, value: 12_345, shown: '12345' }];
  if (type === 'number') return [{ path, value: 12.345, shown: '12345' }];
  if (type === 'array')
    return samplesOf(at(part, 'items'), path).map((sample) => ({ ...sample, value: [sample.value] }));
  if (type === 'object')
    return samplesOf(at(part, 'additionalProperties'), path).map((one) => ({ ...one, value: { Xname: one.value } }));
  if (type !== 'string') throw new Error(`${path.join('.')}: no sample for ${JSON.stringify(part)}`);
  return [
    ...[canary, `https://${canary}.test/`].map((value) => ({ path, value, shown: canary })),
    ...[`\${${variable}}`, `https://\${${variable}}/`].map((value) => ({
      path,
      value,
      shown: `${variable} (of your environment)`,
    })),
  ];
}

const bases = [{ command: 'x' }, { url: 'https://a.test/' }, {}];
/** Keys that `oauth` needs beside others. */
const logins = [{}, { clientId: 'a', clientSecret: '${B}' }];

function screenOf(content: object): string | undefined {
  try {
    const { file } = parseFile(JSON.stringify(content), '/c.json');
    return [planText(planOf(file, '/', '/home')), ...pairsShown(fileSettingsOf(file, createHideSecrets([])))].join(
      '\n',
    );
  } catch {
    return undefined;
  }
}

/** The screens of all valid files with a sample, and of those without it. */
function screensWith(sample: Sample, contentOf: (entry: object, value: object | undefined) => object) {
  return bases.flatMap((base) =>
    logins.flatMap((login) => {
      const value = isRecord(sample.value) ? sample.value : {};
      const oauth = at(value, 'oauth');
      const whole = isRecord(oauth) ? { ...value, oauth: { ...login, ...oauth } } : value;
      const screen = screenOf(contentOf(base, whole));
      return screen === undefined ? [] : [{ screen, without: screenOf(contentOf(base, undefined)) }];
    }),
  );
}

const inEntry = (base: object, value: object | undefined) => ({
  toolboxes: { t: { description: 'd', mcpServers: { s: { ...base, ...value } } } },
});
const inDefaults = (base: object, value: object | undefined) => ({
  ...inEntry(base, undefined),
  defaults: value ?? {},
});

function byKey(samples: readonly Sample[]): [string, Sample[]][] {
  const keys = [...new Set(samples.map(({ path }) => path.join('.')))];
  return keys.map((key) => [key, samples.filter(({ path }) => path.join('.') === key)]);
}

/** Same meaning with and without: the words for what a program or a URL is anyway, and defaults. */
const withoutEffect = /^(?:type|transport|transport\.type|enabled)$/;

describe.each([
  ['an entry', 'ServerEntry', inEntry],
  ['defaults', 'ServerDefaults', inDefaults],
])('the screen of trust, import and init, for %s', (_, name, contentOf) => {
  test.each(byKey(samplesOf(at(schema, 'definitions', name), [])))('shows %s', (key, samples) => {
    const shown = samples.flatMap((sample) =>
      screensWith(sample, contentOf).map((one) => ({ ...one, expected: sample.shown, value: sample.value })),
    );
    expect(shown).not.toEqual([]);
    for (const { screen, without, expected, value } of shown) {
      const isHidden = key.endsWith('clientSecret') && expected === canary;
      expect(screen, JSON.stringify(value)).toContain(isHidden ? 'clientSecret=' : expected);
      if (!withoutEffect.test(key)) expect(screen, JSON.stringify(value)).not.toBe(without);
    }
  });
});
