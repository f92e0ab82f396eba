import { credentialsSource } from '../../config/resolve/credentials-source.js';
import type { WorkbenchError } from '../../contract/errors.js';
import { serverFailureIn } from '../../session/command-session.js';
import type { Call } from '../frame/command.js';
import type { Configured } from '../frame/configured.js';
import { type Failure, failureOf } from '../frame/screen/failure.js';
import { adviceFor } from './state-text.js';

/** An error of a command, with what to do about it if a server could not be used. */
export function serverFailure(
  error: WorkbenchError,
  configured: Configured | undefined,
  call: Pick<Call, 'value'>,
): Failure {
  const { toolbox, server } = error.place;
  const isUnavailable = error.code === 'SERVER_UNAVAILABLE' && toolbox !== undefined && server !== undefined;
  if (!isUnavailable) return withLine(failureOf(error), error.hint);
  const entry = configured?.toolboxes.get(toolbox)?.mcpServers.get(server);
  const { kind, reason } = serverFailureIn(error) ?? {};
  const state = entry?.disabled === true ? 'disabled' : kind === 'unauthorized' ? 'unauthorized' : 'failed';
  const credentials = entry && credentialsSource(entry);
  const { says, command } = adviceFor({ toolbox, server, state, kind, reason, credentials }, call);
  return withLine(failureOf(error, command), says);
}

function withLine(failure: Failure, line: string | undefined): Failure {
  return line === undefined ? failure : { ...failure, message: `${failure.message}\n  ${line}` };
}
