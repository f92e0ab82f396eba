import { createHash } from 'node:crypto';
import { printableLine } from '../../text/printable.js';

/** How a login ended, as the browser shows it. */
export type LoginOutcome =
  | { readonly kind: 'authorized' | 'denied'; readonly toolbox: string; readonly server: string }
  | { readonly kind: 'failed'; readonly toolbox: string; readonly server: string; readonly reason: string }
  /** The request does not belong to a login that waits: another state or issuer, or a second answer. */
  | { readonly kind: 'mismatch' }
  /** Another path, such as that of an icon. */
  | { readonly kind: 'not-found' };

interface CallbackPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}';

/** The page at the end of a login. Names and reasons are text, never HTML, and nothing on the page runs or is loaded. */
export function callbackPage(outcome: LoginOutcome): CallbackPage {
  const { status, title, text } = contentOf(outcome);
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</html>
`;
  return { status, headers: headersFor(body), body };
}

function contentOf(outcome: LoginOutcome): { readonly status: number; readonly title: string; readonly text: string } {
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

function headersFor(body: string): Readonly<Record<string, string>> {
  const allowed = createHash('sha256').update(style).digest('base64');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'content-security-policy': `default-src 'none'; style-src 'sha256-${allowed}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    // The address of the page has the code of the login in it.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
