import type { StdioOptions } from 'node:child_process';

interface Options {
  readonly cwd: string;
  readonly timeout?: number;
  readonly stdio?: StdioOptions;
}

export function runNpm(args: readonly string[], options: Options): string;
export function outputOfNpm(
  args: readonly string[],
  options: { readonly cwd: string },
): Promise<{ readonly text: string; readonly isOk: boolean }>;
