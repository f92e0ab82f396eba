import type { Credentials } from '../../src/serve/http/identity/identify.js';

/** A clock that only the test turns. */
export interface Clock {
  readonly now: () => number;
  forward(ms: number): void;
}

export function createClock(start = 1_800_000_000_000): Clock {
  let at = start;
  return { now: () => at, forward: (ms) => void (at += ms) };
}

/** A request with these values of Authorization. */
export function requestWith(...authorizations: readonly string[]): Credentials {
  const [first] = authorizations;
  return {
    headers: { host: 'mcp.example.com', ...(first !== undefined && { authorization: first }) },
    rawHeaders: ['Host', 'mcp.example.com', ...authorizations.flatMap((value) => ['Authorization', value])],
    url: '/mcp',
  };
}
