import { builtInHttp } from '../values/http-defaults.js';
import { faultOfUrl } from './addresses.js';
import type { ExpandHttp, HttpBlock, ReportHttp } from './judging.js';
import type { HttpAuth } from './settings.js';

/** `url`: that of the service; undefined if it is at fault. What is at fault here is empty, and reported. */
export function judgeAuth(
  { auth, url: writtenUrl }: HttpBlock,
  url: string | undefined,
  expand: ExpandHttp,
  report: ReportHttp,
): HttpAuth | undefined {
  if (auth === undefined) return undefined;
  const { algorithms = builtInHttp.algorithms, claims = [], login } = auth;
  const text = (written: string, ...at: readonly (string | number)[]) => expand(written, ['auth', ...at]) ?? '';
  const issuer = text(auth.issuer, 'issuer');
  const fault = issuer === '' ? undefined : faultOfUrl(issuer, 'https://login.example.com');
  if (fault !== undefined) report(fault.what, fault.remedy, 'auth', 'issuer');
  const audience = auth.audience === undefined ? url : text(auth.audience, 'audience');
  if (audience === undefined && writtenUrl === undefined)
    report('It is not said for which audience tokens have to be.', 'Add "url" to "http", or "audience" here.', 'auth');
  const scopes = (auth.scopes ?? []).map((scope, index) => {
    const expanded = text(scope, 'scopes', index);
    if (!isScope(expanded))
      report('Not a scope.', 'Write one in each string, without spaces.', 'auth', 'scopes', index);
    return expanded;
  });
  const required = Array.from(auth.require ?? [], ([claim, values]) => {
    const all = values.map((value, index) => text(value, 'require', claim, index));
    return [claim, all] as const;
  });
  return {
    issuer,
    audience: audience ?? '',
    algorithms,
    scopes,
    require: new Map(required),
    claims: [...new Set(claims)],
    login: login && {
      clientId: text(login.clientId, 'login', 'clientId'),
      clientSecret: login.clientSecret === undefined ? undefined : text(login.clientSecret, 'login', 'clientSecret'),
    },
  };
}

/** By RFC 6749. */
function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]*$/.test(text);
}
