/** The settings that apply where a file gives none. */
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
