import { WorkbenchError } from '../../../contract/errors.js';
import type { LoginInfo, StartedLogin } from '../../../downstream/oauth/logins.js';
import type { Computer } from '../../../platform/computer.js';
import { openBrowser } from '../../frame/open-browser.js';
import type { Output } from '../../frame/screen/output.js';
import { askText } from '../../frame/screen/prompt.js';

/** Opens the browser and waits until it comes back. If it cannot be opened, the user does it by hand. `byHand`: the command for that. */
export async function consentInBrowser(
  started: StartedLogin,
  { computer, output }: { readonly computer: Computer; readonly output: Output },
  byHand: string,
): Promise<LoginInfo> {
  const { origin, pathname } = new URL(started.url);
  output.talk(`opening ${origin}${pathname} ${output.signs.ellipsis} (or paste it: ${byHand})`);
  let isOver = false;
  const failed = new Promise<void>((resolve) =>
    // A browser may also report an error when it is closed, after the login.
    openBrowser(started.url, computer, () => void (isOver || resolve())),
  );
  try {
    return await Promise.race([started.done, failed.then(() => consentByHand(started, output))]);
  } finally {
    isOver = true;
  }
}

/** Prints the address, and waits for the browser or for the redirect that the user pastes, whichever is first. */
export async function consentByHand(started: StartedLogin, output: Output): Promise<LoginInfo> {
  output.say(`Open this address in a browser:\n\n${started.url}\n`);
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
