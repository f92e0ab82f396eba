import { WorkbenchError } from '../../../contract/errors.js';
import type { LoginInfo, StartedLogin } from '../../../downstream/oauth/logins.js';
import type { Computer } from '../../../platform/computer.js';
import { printableLine } from '../../../text/printable.js';
import { openBrowser } from '../../frame/open-browser.js';
import type { Output } from '../../frame/screen/output.js';
import { askText } from '../../frame/screen/prompt.js';

interface Dialog {
  readonly started: StartedLogin;
  /** Its name. */
  readonly server: string;
}

/** Opens the browser and waits until it comes back. If it cannot be opened, the user does it by hand. `byHand`: the command for that. */
export async function consentInBrowser(
  { started, server }: Dialog,
  { computer, output }: { readonly computer: Computer; readonly output: Output },
  byHand: string,
): Promise<LoginInfo> {
  const { ellipsis } = output.signs;
  output.talk(`log in to ${where(started, server)} in the browser ${ellipsis} (or print the address: ${byHand})`);
  let fail = () => {};
  const failed = new Promise<void>((resolve) => (fail = resolve));
  const browser = openBrowser(started.url, computer, () => fail());
  try {
    return await Promise.race([started.done, failed.then(() => consentByHand({ started, server }, output))]);
  } finally {
    browser.close();
  }
}

/** Prints the address, and waits for the browser or for the redirect that the user pastes, whichever is first. */
export async function consentByHand({ started, server }: Dialog, output: Output): Promise<LoginInfo> {
  output.say(`Open this address in a browser to log in to ${where(started, server)}:\n\n${started.url}\n`);
  output.say(`If the browser then shows an error, paste the address that it shows: ${started.redirectUrl}?…`);
  const finished = new AbortController();
  const done = started.done.finally(() => finished.abort());
  try {
    return await Promise.race([done, pastedRedirect(started, finished.signal)]);
  } finally {
    finished.abort();
  }
}

async function pastedRedirect(started: StartedLogin, signal: AbortSignal): Promise<LoginInfo> {
  const text = await askText('> ', signal);
  if (text !== undefined) return started.paste(text);
  if (signal.aborted) return started.done;
  throw new WorkbenchError('LOGIN_UNFINISHED', 'No answer. Nothing was stored.');
}

/** A server chooses where its users log in: they have to see that. */
function where({ url }: StartedLogin, server: string): string {
  return `${printableLine(server)} at ${new URL(url).host}`;
}
