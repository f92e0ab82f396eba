/** A browser without a window: it keeps cookies, follows redirects and runs nothing. */
export interface Visitor {
  /** Every address of the last visit, in order. */
  readonly visited: readonly string[];
  /** By their names, with what browsers send back. */
  readonly cookies: Map<string, string>;
  /** As the service has set them. */
  readonly setCookies: string[];
  /** Follows redirects as long as they lead to addresses that `follows` accepts. */
  open(url: string, follows?: (url: string) => boolean): Promise<Visited>;
}

export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Of a redirect that was not followed. */
  readonly location: string | undefined;
  /** Where its button leads. */
  readonly button: string | undefined;
}

const mostRedirects = 10;

export function createVisitor(): Visitor {
  const cookies = new Map<string, string>();
  const visited: string[] = [];
  const setCookies: string[] = [];

  function keep(header: string): void {
    setCookies.push(header);
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (/max-age=0(?:;|$)/i.test(header)) cookies.delete(name);
    else cookies.set(name, value);
  }

  async function load(url: string): Promise<Visited> {
    visited.push(url);
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    response.headers.getSetCookie().forEach(keep);
    const body = await response.text();
    const location = response.headers.get('location');
    const [, href] = /<a class="button"[^>]* href="([^"]+)"/.exec(body) ?? [];
    return {
      ...{ url, status: response.status, headers: response.headers, body },
      location: location === null ? undefined : new URL(location, url).href,
      button: href?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
    };
  }

  return {
    visited,
    cookies,
    setCookies,
    async open(url, follows = () => true) {
      visited.length = 0;
      let page = await load(url);
      while (page.location !== undefined && follows(page.location)) {
        if (visited.length > mostRedirects) throw new Error(`too many redirects: ${visited.join(' ')}`);
        page = await load(page.location);
      }
      return page;
    },
  };
}
