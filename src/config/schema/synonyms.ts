// Keys of other clients that mean the same as a key of ours.
import type { Path } from '../place.js';
import type { RawEntry } from './transport.js';

/** The unit of `timeout`: Zed writes seconds. */
export type TimeUnit = 'milliseconds' | 'seconds';

interface Synonym {
  readonly key: string;
  /** The value in our form. Of a value that is not valid it may be anything. */
  readonly inOurs?: (value: unknown, unit: TimeUnit) => unknown;
}

const inMs = (value: unknown) => Math.round(Number(value) * 1_000);

/** By our key. The first of them that an entry has is used; all that it has must agree. */
export const synonyms: Readonly<Record<string, readonly Synonym[]>> = {
  env: [{ key: 'env' }, { key: 'environment' }],
  headers: [{ key: 'headers' }, { key: 'http_headers' }],
  toolFilters: [{ key: 'toolFilters' }, { key: 'includeTools' }, { key: 'enabled_tools' }, { key: 'tools' }],
  excludeTools: [{ key: 'excludeTools' }, { key: 'disabled_tools' }, { key: 'disabledTools' }],
  disabled: [{ key: 'disabled' }, { key: 'enabled', inOurs: (value) => value === false }],
  startTimeoutMs: [{ key: 'startTimeoutMs' }, { key: 'startup_timeout_sec', inOurs: inMs }],
  callTimeoutMs: [
    { key: 'callTimeoutMs' },
    { key: 'timeout', inOurs: (value, unit) => (unit === 'seconds' ? inMs(value) : value) },
    { key: 'tool_timeout_sec', inOurs: inMs },
  ],
};

/** What an entry gives under a key or one of its synonyms, in our form. */
export interface Given {
  readonly at: Path;
  readonly value: unknown;
}

export function givenFor(ours: string, entry: RawEntry, unit: TimeUnit): Given[] {
  return (synonyms[ours] ?? []).flatMap(({ key, inOurs }) => {
    const value = entry[key];
    return value === undefined ? [] : [{ at: [key], value: inOurs === undefined ? value : inOurs(value, unit) }];
  });
}

/** The headers of an entry, from every key that sets some. Those of `transport`, which others override, are not among them. */
export function headersGiven(entry: RawEntry): (Given & { readonly name: string })[] {
  const [written] = givenFor('headers', entry, 'milliseconds');
  const { env_http_headers: fromVariables, bearer_token_env_var: bearer } = entry;
  return [
    ...entriesOf(written?.value).map(([name, value]) => ({ at: [...(written?.at ?? []), name], name, value })),
    ...entriesOf(fromVariables).map(([name, variable]) => ({
      at: ['env_http_headers', name],
      name,
      value: `\${env:${String(variable)}}`,
    })),
    ...(typeof bearer === 'string'
      ? [{ at: ['bearer_token_env_var'], name: 'Authorization', value: `Bearer \${env:${bearer}}` }]
      : []),
  ];
}

function entriesOf(value: unknown): [string, unknown][] {
  return value instanceof Map ? Array.from(value, ([name, held]) => [String(name), held]) : [];
}
