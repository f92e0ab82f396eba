import type { ServerConfig } from '../../config/config.js';
import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import { authCommand } from '../../downstream/http/auth-command.js';
import type { LoginInfo, Logins, StartedLogin } from '../../downstream/http/oauth/logins.js';
import { printableLine } from '../../text/printable.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { hasBrowser, openBrowser } from '../open-browser.js';
import { type Output, usageFailure } from '../output.js';
import { askText, Interrupted, isOnTerminal } from '../prompt.js';
import { loginDocument } from './auth-list.js';
import type { Call } from './command.js';

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
  if (!isForProgram && !isOnTerminal())
    return call.output.fail(usageFailure('Run it in a terminal: a login needs a person.'));
  const interruption = listenForInterrupts();
  try {
    const work = isForProgram ? logins.fetchToken(server) : withUser(login, interruption.signal);
    report(await Promise.race([work, interruption.happened]), login);
    return exitCodes.well;
  } finally {
    interruption.stop();
  }
}

function report({ issuer, scopes, ...info }: LoginInfo, { server, call: { output } }: LoginCall): void {
  const { toolbox, name } = server;
  output.document({ toolbox, server: name, ...loginDocument({ issuer, scopes, ...info }) });
  const granted = scopes.length === 0 ? '' : ` for ${printableLine(scopes.join(', '))}`;
  output.print(
    `${output.mark('well')} ${name} is authorized${granted}. Sessions that run use it from their next call.`,
  );
}

async function withUser(login: LoginCall, signal: AbortSignal): Promise<LoginInfo> {
  const { call, server } = login;
  const command = (...options: string[]) => authCommand(server, call.computer, options);
  const withBrowser = call.options['no-browser'] !== true && hasBrowser(call.computer);
  const started = await begin(login, withBrowser, signal);
  // Awaited below only if nothing else ends the login first.
  started.done.catch(() => {});
  try {
    if (!withBrowser) return await askForRedirect(started, call.output);
    const { origin, pathname } = new URL(started.url);
    const instead = command('--no-browser');
    call.output.say(`Opening ${origin}${pathname} … (or paste it: ${instead})`);
    const failed = new Promise<void>((resolve) => openBrowser(started.url, call.computer, resolve));
    return await Promise.race([started.done, failed.then(() => askForRedirect(started, call.output))]);
  } catch (error) {
    await started.cancel();
    if (!isWorkbenchError(error) || error.code !== 'LOGIN_UNFINISHED') throw error;
    throw new WorkbenchError(error.code, `${error.message} Try again: ${command()}`, { place: error.place });
  }
}

/** A redirect can also be pasted if the browser cannot return to this computer. */
async function begin({ logins, server }: LoginCall, needsPort: boolean, signal: AbortSignal): Promise<StartedLogin> {
  try {
    return await logins.begin(server, { listens: true, signal });
  } catch (error) {
    if (needsPort || !isWorkbenchError(error) || error.code !== 'LOGIN_PORT_TAKEN') throw error;
    return logins.begin(server, { listens: false, signal });
  }
}

/** Prints the address for the user to open, and waits for the browser or for what the user pastes, whichever is first. */
async function askForRedirect(started: StartedLogin, output: Output): Promise<LoginInfo> {
  output.say(`Open this address in a browser:\n\n${started.url}\n`);
  output.say(`If the browser then shows an error, paste the address that it shows: ${started.redirectUrl}?…`);
  const finished = new AbortController();
  const done = started.done.finally(() => finished.abort());
  done.catch(() => {});
  try {
    return await Promise.race([done, pasted(started, finished.signal)]);
  } finally {
    finished.abort();
  }
}

async function pasted(started: StartedLogin, signal: AbortSignal): Promise<LoginInfo> {
  const text = await askText('> ', signal);
  if (text !== undefined) return started.paste(text);
  if (signal.aborted) return started.done;
  throw new WorkbenchError('LOGIN_UNFINISHED', 'No answer. Nothing was stored.');
}

/** Ctrl-C. Nothing is stored before a login has ended. */
function listenForInterrupts() {
  const controller = new AbortController();
  let interrupt = () => {};
  const happened = new Promise<never>((_, reject) => {
    interrupt = () => {
      controller.abort();
      reject(new Interrupted('interrupted'));
    };
  });
  happened.catch(() => {});
  process.once('SIGINT', interrupt);
  return { signal: controller.signal, happened, stop: () => void process.off('SIGINT', interrupt) };
}
