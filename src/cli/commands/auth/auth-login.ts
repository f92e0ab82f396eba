import type { ServerConfig } from '../../../config/config.js';
import { type ErrorCode, isWorkbenchError } from '../../../contract/errors.js';
import { authCommand } from '../../../downstream/http/auth-command.js';
import type { LoginInfo, Logins, StartedLogin } from '../../../downstream/oauth/logins.js';
import { printableLine } from '../../../text/printable.js';
import type { Call } from '../../frame/command.js';
import { untilInterrupted } from '../../frame/interrupts.js';
import { hasBrowser } from '../../frame/open-browser.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { type Failure, usageFailure } from '../../frame/screen/failure.js';
import { canAsk } from '../../frame/screen/prompt.js';
import { consentByHand, consentInBrowser } from './auth-dialog.js';
import { loginDocument } from './auth-list.js';

interface LoginCall {
  readonly call: Call;
  readonly logins: Logins;
  readonly server: ServerConfig;
  /** The grant is `client_credentials`: no user consents. */
  readonly isForProgram: boolean;
}

/** `mcp-workbench auth TOOLBOX SERVER`: consent in the browser, or a token for a program. */
export async function logIn(login: LoginCall): Promise<ExitCode> {
  const { call, logins, server, isForProgram } = login;
  const { output } = call;
  if (!isForProgram && !canAsk()) return output.fail(usageFailure('Run it in a terminal: a login needs a person.'));
  try {
    const info = await untilInterrupted((signal) =>
      isForProgram ? logins.fetchToken(server, signal) : withUser(login, signal),
    );
    report(info, login);
    return exitCodes.ok;
  } catch (error) {
    const failure = failureOf(error, login);
    if (failure === undefined) throw error;
    return output.fail(failure);
  }
}

function report(info: LoginInfo, { server: { toolbox, name }, call: { output } }: LoginCall): void {
  output.document({ toolbox, server: name, ...loginDocument(info) });
  const granted = info.scopes.length === 0 ? '' : ` (${printableLine(info.scopes.join(', '))})`;
  output.printText(
    `${output.mark('well')} ${name}: login stored${granted}. Sessions that run use it from their next call.`,
  );
}

async function withUser(login: LoginCall, signal: AbortSignal): Promise<LoginInfo> {
  const { call, server } = login;
  const withBrowser = !call.flag('no-browser') && hasBrowser(call.computer);
  const started = await begin(login, withBrowser, signal);
  // Something else may end the login first.
  started.done.catch(() => {});
  try {
    const dialog = { started, server: server.name };
    if (!withBrowser) return await consentByHand(dialog, call.output);
    return await consentInBrowser(dialog, call, authCommand(server, call.computer, ['--no-browser']));
  } catch (error) {
    await started.cancel();
    throw error;
  }
}

/** A redirect can also be pasted if no port can be had. */
async function begin({ logins, server }: LoginCall, needsPort: boolean, signal: AbortSignal): Promise<StartedLogin> {
  try {
    return await logins.begin(server, { listens: true, signal });
  } catch (error) {
    if (needsPort || !isWorkbenchError(error) || error.code !== 'LOGIN_PORT_TAKEN') throw error;
    return logins.begin(server, { listens: false, signal });
  }
}

/** What is said about a login that failed, in one line. Undefined for other errors. */
function failureOf(error: unknown, { server, call }: LoginCall): Failure | undefined {
  if (!isWorkbenchError(error)) return undefined;
  const { code, message } = error;
  const place = { toolbox: server.toolbox, server: server.name };
  const sentences: Partial<Record<ErrorCode, string>> = {
    LOGIN_FAILED: `Cannot log in at ${server.name}: ${message}. Nothing was stored.`,
    LOGIN_UNSUPPORTED: `Cannot log in at ${server.name}: ${message}.`,
    LOGIN_MISMATCH: message,
    LOGIN_UNFINISHED: `${message} Try again: ${authCommand(server, call.computer)}`,
    LOGIN_PORT_TAKEN: `${message} Without it: ${authCommand(server, call.computer, ['--no-browser'])}`,
  };
  const sentence = sentences[code];
  return sentence === undefined ? undefined : { code, message: sentence, place, exit: exitCodes.failed };
}
