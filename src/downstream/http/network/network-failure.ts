import { shorten } from '../../../text/shorten.js';

/** Paths are as long as a server likes if the URL comes from it. */
const longestShownUrl = 200;

/** The request failed without a response, a redirect was refused, or a response broke off. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure';
  /**
   * Whether a server may have processed the request. False if no byte of it was sent to one, or if the server only answered
   * with a redirect that says to send it elsewhere.
   */
  readonly wasSent: boolean;
  /** Of the cause, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(message: string, { wasSent, cause }: { readonly wasSent: boolean; readonly cause?: unknown }) {
    super(message, { cause });
    this.wasSent = wasSent;
    this.code = codeOf(cause);
  }
}

/** By name, not `instanceof`: each part of the program has its own copy of the class. */
export function isNetworkFailure(error: unknown): error is NetworkFailure {
  return error instanceof Error && error.name === 'NetworkFailure';
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A URL without what may be secret: user, password, query, fragment. */
export function shownUrl(url: URL): string {
  return shorten(`${url.protocol}//${url.host}${url.pathname}`, longestShownUrl);
}
