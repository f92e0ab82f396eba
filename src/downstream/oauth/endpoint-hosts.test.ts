import { describe, expect, test } from 'vitest';
import type { OAuthSettings } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import { assertOneParty } from './endpoint-hosts.js';

function problemOf(page: string, tokens: string, hosts?: readonly string[], hasIss?: boolean): string | undefined {
  const metadata = {
    issuer: 'https://issuer.test',
    authorization_endpoint: page,
    token_endpoint: tokens,
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: hasIss,
  };
  const discovered = { authorizationServer: 'x', issuer: 'x', metadata, resource: undefined, scope: undefined };
  const settings: OAuthSettings | undefined = hosts && {
    ...{ clientId: undefined, clientSecret: undefined, clientMetadataUrl: undefined, issuer: undefined },
    ...{ callbackPort: undefined, scopes: undefined, grant: 'authorization_code', hosts },
  };
  try {
    assertOneParty({ ...discovered, needsPkce: true }, settings);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

describe('a login page and a token endpoint', () => {
  test.each([
    ['https://github.com/login/oauth/authorize', 'https://github.com/login/oauth/access_token'],
    [
      'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    ],
    ['https://tenant.eu.auth0.com/authorize', 'https://tenant.eu.auth0.com/oauth/token'],
    ['https://auth.atlassian.com/authorize', 'https://auth.atlassian.com/oauth/token'],
    ['https://mcp.atlassian.com/v1/authorize', 'https://cf.mcp.atlassian.com/v1/token'],
    ['https://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com/token'],
    ['https://www.figma.com/oauth/mcp', 'https://api.figma.com/v1/oauth/token'],
    ['https://vercel.com/oauth/authorize', 'https://api.vercel.com/login/oauth/token'],
  ])('of a real provider are accepted: %s and %s', (page, tokens) => {
    expect(problemOf(page, tokens)).toBeUndefined();
  });

  test.each([
    ['https://github.com/login/oauth/authorize', 'https://evil.test/token'],
    ['https://github.com/login/oauth/authorize', 'https://github.com.evil.test/token'],
    ['https://github.com/login/oauth/authorize', 'https://github.com:8443/token'],
    ['https://accounts.google.com/o/oauth2/v2/auth', 'https://evil.test/token'],
    ['https://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com:444/token'],
    ['https://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com/log?to=evil'],
    ['https://accounts.google.com.evil.test/auth', 'https://oauth2.googleapis.com/token'],
    ['https://accounts.google.com/o/oauth2/v2/auth', 'https://api.figma.com/v1/oauth/token'],
    ['http://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com/token'],
  ])('of two parties are refused, and both hosts are named: %s and %s', (page, tokens) => {
    const problem = problemOf(page, tokens);
    expect(problem).toContain(`at ${new URL(page).host},`);
    expect(problem).toContain(`to ${new URL(tokens).host};`);
  });

  test('on two hosts are accepted where the configuration names both, or the answer has to name the issuer', () => {
    const [page, tokens] = ['https://login.corp.test/authorize', 'https://api.corp.test:8443/token'];
    expect(problemOf(page, tokens, ['api.corp.test:8443', 'login.corp.test'])).toBeUndefined();
    expect(problemOf(page, tokens, undefined, true)).toBeUndefined();
    for (const hosts of [[], ['login.corp.test'], ['api.corp.test:8443'], ['login.corp.test', 'api.corp.test']])
      expect(problemOf(page, tokens, hosts)).toContain('"hosts": ["login.corp.test", "api.corp.test:8443"]');
  });
});
