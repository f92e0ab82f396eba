import type { PlacedFault } from '../place.js';
import { builtInHttp } from '../values/http-defaults.js';
import {
  faultOfUrl,
  isLoopbackHost,
  isLoopbackUrl,
  isNormalUrl,
  isOrigin,
  type ListenAddress,
  parseListenAddress,
} from './addresses.js';
import { judgeAuth } from './judge-auth.js';
import type { ExpandHttp, HttpBlock, ReportHttp } from './judging.js';
import type { HttpSettings } from './settings.js';

/** What a valid block says. Undefined if that is no way to serve; `faults` then says why. */
export function judgeHttp(
  http: HttpBlock,
  given: ListenAddress | undefined,
  expand: ExpandHttp,
  faults: PlacedFault[],
): Omit<HttpSettings, 'secrets'> | undefined {
  const report: ReportHttp = (what, remedy, ...at) => void faults.push({ path: ['http', ...at], what, remedy });
  const listen = given ?? listenOf(http, expand, report);
  const url = urlOf(http, expand, report);
  const auth = judgeAuth(http, url, expand, report);
  const origins = originsOf(http, expand, report);
  if (listen !== undefined && !isLoopbackHost(listen.host)) judgeExposure(http, url, given !== undefined, report);
  if (faults.length > 0 || listen === undefined) return undefined;
  return {
    listen,
    isLoopback: isLoopbackHost(listen.host) && (url === undefined || isLoopbackUrl(url)),
    url,
    path: url === undefined ? builtInHttp.path : new URL(url).pathname,
    auth,
    origins,
    limits: { ...builtInHttp.limits, ...http.limits },
  };
}

function listenOf({ listen = builtInHttp.listen }: HttpBlock, expand: ExpandHttp, report: ReportHttp) {
  const text = expand(listen, ['listen']);
  if (text === undefined) return undefined;
  const address = parseListenAddress(text);
  return (
    address ??
    report('Not an address to listen on.', 'Write HOST:PORT, such as 127.0.0.1:4760 or [::1]:4760.', 'listen')
  );
}

/** Paths that the service answers by itself. */
const ownPaths = /^\/(?:livez|readyz|login|\.well-known)(?:\/|$)/;

function urlOf({ url }: HttpBlock, expand: ExpandHttp, report: ReportHttp): string | undefined {
  const text = url === undefined ? undefined : expand(url, ['url']);
  if (text === undefined) return undefined;
  const fault = faultOfUrl(text, 'https://mcp.example.com/mcp');
  if (fault !== undefined) return report(fault.what, fault.remedy, 'url');
  if (!isNormalUrl(text)) {
    const remedy = 'Write it as a browser shows it: host in lower case, no default port, no "..", signs escaped.';
    return report('Not the normal form of this URL, by which clients name it.', remedy, 'url');
  }
  if (!ownPaths.test(new URL(text).pathname)) return text;
  return report(
    'The path of this URL is one that the service answers by itself.',
    'Choose another, such as /mcp.',
    'url',
  );
}

function originsOf({ origins = [] }: HttpBlock, expand: ExpandHttp, report: ReportHttp): readonly string[] {
  const remedy = 'Write scheme and host, and a port that is not the usual one: https://app.example.com.';
  return origins.flatMap((written, index) => {
    const text = expand(written, ['origins', index]);
    if (text !== undefined && isOrigin(text)) return [text];
    if (text !== undefined) report('Not the origin of a web page.', remedy, 'origins', index);
    return [];
  });
}

/** On loopback other programs of this computer need the token; elsewhere everybody who can read the traffic would have it. */
function judgeExposure(http: HttpBlock, url: string | undefined, isOverride: boolean, report: ReportHttp): void {
  // One that is at fault is reported already.
  const isSafe = url === undefined ? http.url !== undefined : url.startsWith('https:');
  if (http.auth !== undefined && isSafe) return;
  const missing = [...(http.auth === undefined ? ['"auth"'] : []), ...(isSafe ? [] : ['an https "url"'])].join(' and ');
  const what = 'Other addresses than loopback need "auth" and an https "url".';
  const remedy = `Add ${missing}, or listen on 127.0.0.1.`;
  if (isOverride) report(`The address of the command line is not loopback. ${what}`, remedy);
  else report(what, remedy, 'listen');
}
