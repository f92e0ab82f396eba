import { loadPart } from '../../platform/load-part.js';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';

/** `serve --http`: the plain one never gets here, because clients wait for it. */
export async function runServe({ words, flag, value, computer, output }: Call): Promise<ExitCode> {
  if (!flag('http'))
    return output.fail(usageFailure('The command line is not that of serve. See mcp-workbench serve --help'));
  if (value('host-name') !== undefined)
    return output.fail(
      usageFailure(
        '--host-name is about the host of stdio sessions, and does not go with --http. See mcp-workbench serve --help',
      ),
    );
  const { serveHttp } = await loadPart(() => import('../../serve/http/serve-http.js'));
  await serveHttp({ config: value('config'), address: words[0], isFrozen: flag('frozen'), computer });
  return exitCodes.ok;
}
