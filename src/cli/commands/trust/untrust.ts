import path from 'node:path';
import { fileName } from '../../../config/files/find.js';
import { readTrust, realPathOf, writeTrust } from '../../../config/trust/trust-store.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { visible } from './trust-plan.js';

/** `mcp-workbench untrust [FILE|DIRECTORY]`. The paths are compared with the trusted ones; they need not exist. */
export async function runUntrust({ words, flag, computer, output }: Call): Promise<ExitCode> {
  const given = path.resolve(computer.cwd, words[0] ?? '.');
  const named = new Set([given, realPathOf(given)].flatMap((one) => [one, path.join(one, fileName)]));
  const trust = readTrust(computer, (message) => output.say(message));
  const isNamed = ({ path: trusted }: { readonly path: string }) => named.has(trusted);
  const removed = [...trust.files, ...trust.directories].filter(isNamed).map((one) => one.path);
  const isDryRun = flag('dry-run');
  if (removed.length > 0 && !isDryRun) {
    writeTrust(computer, {
      files: trust.files.filter((one) => !isNamed(one)),
      directories: trust.directories.filter((one) => !isNamed(one)),
    });
  }
  output.document({ untrusted: removed, changed: removed.length > 0 && !isDryRun });
  if (removed.length === 0) output.print(`${visible(given)} is not trusted.`);
  for (const one of removed) {
    output.print(
      isDryRun
        ? `Would no longer be trusted: ${visible(one)}`
        : `${output.mark('well')} no longer trusted: ${visible(one)}`,
    );
  }
  return exitCodes.ok;
}
