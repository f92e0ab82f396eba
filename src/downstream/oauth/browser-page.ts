import { createHash } from 'node:crypto';

export interface BrowserPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PageContent {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** A link that looks like a button. */
  readonly button?: { readonly label: string; readonly url: URL };
}

const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}' +
  'p{overflow-wrap:anywhere}' +
  '.button{display:inline-block;padding:.4rem 1.2rem;border:1px solid;border-radius:.4rem;color:inherit;text-decoration:none}';

/** A page for the browser of a user who logs in. What it says is text, never HTML, and nothing on it runs or is loaded. */
export function browserPage({ status, title, text, button }: PageContent): BrowserPage {
  const link =
    button === undefined
      ? ''
      : `\n<p><a class="button" rel="noreferrer" href="${escaped(button.url.href)}">${escaped(button.label)}</a></p>`;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>${link}
</html>
`;
  return { status, headers: headersFor(body), body };
}

/** Of pages and redirects alike: the address has the code of the login, or the way to it, in it. */
export const privateHeaders = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

function headersFor(body: string): Readonly<Record<string, string>> {
  const allowed = createHash('sha256').update(style).digest('base64');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'content-security-policy': `default-src 'none'; style-src 'sha256-${allowed}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ...privateHeaders,
    connection: 'close',
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
