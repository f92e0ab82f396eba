/** What the process ends with. */
export const exitCodes = {
  well: 0,
  failed: 1,
  usage: 2,
  configInvalid: 3,
  serverNotWell: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
