import { getSystemErrorMap } from 'node:util';

/** The code of a system error, e.g. `ENOENT`. */
export function codeOf(value: unknown): unknown {
  return value instanceof Error && 'code' in value ? value.code : undefined;
}

/** In the system's words, e.g. `too many open files (EMFILE)`; Node's own would quote the arguments, secrets included. */
export function systemReason(error: unknown): string {
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined;
  const [name, words] = (typeof errno === 'number' && getSystemErrorMap().get(errno)) || [];
  if (words !== undefined) return `${words} (${name})`;
  return codeOf(error) === 'ERR_INVALID_ARG_VALUE'
    ? 'the command is empty, or the command, an argument or a variable contains a NUL character'
    : 'unexpected error';
}
