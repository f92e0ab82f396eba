import { printableLine } from '../../text/printable.js';
import { type BrowserPage, browserPage, type PageContent } from './browser-page.js';

/** How a login ended, as the browser shows it. */
export type LoginOutcome =
  | { readonly kind: 'authorized' | 'denied'; readonly toolbox: string; readonly server: string }
  | { readonly kind: 'failed'; readonly toolbox: string; readonly server: string; readonly reason: string }
  /** The request does not belong to a login that waits: another state or issuer, or a second answer. */
  | { readonly kind: 'mismatch' }
  /** Another path, such as that of an icon. */
  | { readonly kind: 'not-found' };

/** The page at the end of a login. */
export function callbackPage(outcome: LoginOutcome): BrowserPage {
  return browserPage(contentOf(outcome));
}

function contentOf(outcome: LoginOutcome): PageContent {
  const close = 'You can close this tab.';
  switch (outcome.kind) {
    case 'authorized':
      return { status: 200, title: 'Authorized', text: `MCP Workbench can now use ${named(outcome)}. ${close}` };
    case 'denied':
      return {
        status: 200,
        title: 'Not authorized',
        text: `Access to ${named(outcome)} was denied. ${unchanged(close)}`,
      };
    case 'failed': {
      const reason = `The login to ${named(outcome)} failed: ${printableLine(outcome.reason)}`;
      return { status: 400, title: 'Login failed', text: `${reason.replace(/\.?$/, '.')} ${unchanged(close)}` };
    }
    case 'mismatch': {
      const text = `The answer does not belong to this request. ${unchanged(close)}`;
      return { status: 400, title: 'Login failed', text };
    }
    case 'not-found':
      return { status: 404, title: 'Not found', text: close };
  }
}

function named({ toolbox, server }: { readonly toolbox: string; readonly server: string }): string {
  return `server ${printableLine(server)} (toolbox ${printableLine(toolbox)})`;
}

function unchanged(rest: string): string {
  return `Nothing was stored. ${rest}`;
}
