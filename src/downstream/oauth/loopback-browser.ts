import { listenForBrowser, redirectTo } from './callback.js';
import type { LoginBrowser } from './login-browser.js';

/** Waits for a browser on this computer. Without `listens`, only a pasted redirect ends the login. */
export function createLoopbackBrowser({ listens }: { readonly listens: boolean }) {
  return {
    advice: undefined,
    async expect({ port, preferred, answered }) {
      const callback = await listenForBrowser({ port: listens ? port : undefined, preferred, answered });
      // The port only has to be one that an authorization server accepts.
      if (!listens) callback.close();
      const redirectUrl = port === undefined ? callback.redirectUrl : redirectTo(port);
      return { redirectUrl, linkTo: ({ url }) => url.href, close: () => callback.close() };
    },
  } satisfies LoginBrowser;
}
