// What the schema and the quick reader of plain files have in common. Nothing here is heavy: every start loads it.

const longestTimerMs = 2_147_483_647;
const longestTextBytes = 500_000_000;

const timer = [1, longestTimerMs] as const;
const bytes = [1, longestTextBytes] as const;
const count = [1, 1_000_000] as const;

/** The least and the most that a number may be. */
export const ranges = {
  openTimeoutMs: timer,
  openBudgetChars: bytes,
  startTimeoutMs: timer,
  callTimeoutMs: timer,
  callTotalTimeoutMs: timer,
  idleTimeoutMs: [0, longestTimerMs],
  maxConcurrentCalls: count,
  maxQueuedCalls: [0, 1_000_000],
  maxMessageBytes: bytes,
  maxResultBytes: bytes,
} as const;

export const builtInSettings = {
  openTimeoutMs: 45_000,
  openBudgetChars: 32_000,
  startTimeoutMs: 120_000,
  callTimeoutMs: 60_000,
  callTotalTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
  maxConcurrentCalls: 32,
  maxQueuedCalls: 256,
  maxMessageBytes: 67_108_864,
  maxResultBytes: 9_437_184,
} as const;

export const protocols = ['auto', 'legacy', '2026-07-28'] as const;
export const serverTypes = ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'] as const;

export function isVariableName(text: string): boolean {
  return text !== '' && !/[=\0]/.test(text);
}

export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether a url may be one: it is known only once its variables are expanded. */
export function mayBeHttpUrl(text: string): boolean {
  return text.includes('${') || isHttpUrl(text);
}
