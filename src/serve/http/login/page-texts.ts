import { type BrowserPage, browserPage } from '../../../downstream/oauth/browser-page.js';
import { printableLine } from '../../../text/printable.js';

interface Place {
  readonly toolbox: string;
  readonly server: string;
}

const close = 'Nothing was stored. You can close this tab.';

/** For a link that was never given out, has expired, is used, or belongs to another browser: which of these is nobody's business. */
export function unknownLinkPage(): BrowserPage {
  const text = `This link is not valid: it may be used already, over 5 minutes old, or opened in another browser. ${close} Let your agent repeat its call to get another link.`;
  return browserPage({ status: 404, title: 'Link not valid', text });
}

export function issuerAwayPage(): BrowserPage {
  const text = 'You cannot be signed in at present: the issuer of this service does not answer. Load this page again.';
  return browserPage({ status: 502, title: 'No sign-in', text });
}

/** Before the browser goes on: whose account it is about. `service`: the host of ours. */
export function continuePage({ toolbox, server }: Place, { host, href }: URL, service: string): BrowserPage {
  const name = printableLine(server);
  const text = `Your agent needs your account at ${host} for server ${name} (toolbox ${printableLine(toolbox)}). What you allow there, agents that use ${service} in your name can do. Continue only if you have asked for it.`;
  const button = { label: `Continue to ${host}`, url: new URL(href) };
  return browserPage({ status: 200, title: `Log in to ${name}`, text, button });
}

export function otherUserPage(place: Place): BrowserPage {
  const text = `The login to ${named(place)} was asked for by a call of another user than the one you are signed in as. Whoever gave you this link would have got the use of your account. ${close}`;
  return browserPage({ status: 403, title: 'Not your login', text });
}

export function failedPage(place: Place, problem: string): BrowserPage {
  const text = `The login to ${named(place)} failed: ${problem}. ${close}`;
  return browserPage({ status: 400, title: 'Login failed', text });
}

function named({ toolbox, server }: Place): string {
  return `server ${printableLine(server)} (toolbox ${printableLine(toolbox)})`;
}
