import { dataDirectoryOf } from '../../platform/directories.js';
import { readOrMakeToken, replaceToken } from '../../serve/http/identity/secret-files.js';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';

/** The token of the one person who may call over HTTP. */
export async function runToken({ flag, computer, output }: Call): Promise<ExitCode> {
  if (flag('new') && flag('headers')) return output.fail(usageFailure('--new and --headers do not go together.'));
  const directory = dataDirectoryOf(computer);
  const token = (flag('new') ? replaceToken : readOrMakeToken)(directory, computer.platform);
  output.document({ token });
  output.print(flag('headers') ? JSON.stringify({ Authorization: `Bearer ${token}` }) : token);
  if (flag('new')) output.say('The former token is no longer valid: put this one into the files of your clients.');
  return exitCodes.ok;
}
