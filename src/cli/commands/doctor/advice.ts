import type { ServerConfig } from '../../../config/config.js';

/** Looked for in what the server wrote, in this order. Advice only: nothing else depends on these words. */
const symptoms: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|connection refused/i, 'is the service that it needs running?'],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/i, 'is the host name right, and the network there?'],
  [/\bE404\b|404 Not Found|No matching distribution/i, 'is the name of the package right?'],
  [/Cannot find module|ERR_MODULE_NOT_FOUND|ModuleNotFoundError/i, 'are its dependencies installed?'],
  [/EADDRINUSE|address already in use/i, 'another program uses its port'],
  [/EACCES|EPERM|permission denied/i, 'may you read and run what it needs?'],
  [/ENOENT|no such file/i, 'do the files in its arguments exist?'],
  [/unauthorized|invalid (?:api )?(?:key|token)|authentication/i, 'is its token valid?'],
];

/**
 * What to do about a server that does not work, in one line; undefined if the reason says it. `command`: one of ours for this
 * server, if it exists.
 */
export function adviceFor(
  { target, limits }: ServerConfig,
  kind: string,
  reason: string,
  command: (name: string) => string | undefined,
): string | undefined {
  if (target.kind === 'broken') return undefined;
  switch (kind) {
    case 'unauthorized':
      return command('auth') ?? 'give it credentials in headers';
    case 'timeout':
      return `raise startTimeoutMs (${limits.startTimeoutMs}) if it is only slow`;
    case 'lost':
      return 'is the URL right, and the network there?';
    case 'wait':
      return 'try again later';
    default:
      break;
  }
  const [, advice] = symptoms.find(([symptom]) => symptom.test(reason)) ?? [];
  if (advice !== undefined) return advice;
  // It could not even be started.
  const isMissing = kind === 'unreachable' && target.kind === 'stdio';
  return isMissing ? 'install it, or write its full path in command' : command('logs');
}
