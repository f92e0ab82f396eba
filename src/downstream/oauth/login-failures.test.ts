import { OAuthError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { loginFailure } from './login-failures.js';

test.each([0, 150, 170, 195])(
  'a secret that an authorization server repeats after %i characters is masked',
  (before) => {
    const secret = 'a-secret-of-more-than-forty-characters-0123456789';
    const { message } = loginFailure(
      new OAuthError('invalid_client', `${'x'.repeat(before)}${secret}`),
      (text) => text,
      [secret],
    );
    expect(message).toMatch(/^the authorization server answered invalid_client: x*\*/);
    expect(message).not.toContain('a-sec');
  },
);
