/** What the process ends with. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  configInvalid: 3,
  serverFailing: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
