import { expect, test } from 'vitest';
import { reasonOf } from './phrases.js';

const withCode = (code: string) => Object.assign(new Error('with a secret'), { code });

test.each([
  ['EHOSTUNREACH', 'it is unreachable (EHOSTUNREACH); check the network, and whether a VPN or a proxy is needed'],
  ['ETIMEDOUT', 'timed out (ETIMEDOUT); check the network, and whether a VPN or a proxy is needed'],
  ['EMFILE', 'too many open files (EMFILE); close programs, or raise the limit of open files'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet (CERT_NOT_YET_VALID); check the clock of this computer'],
  [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'its certificate is not trusted: its issuer is unknown (UNABLE_TO_GET_ISSUER_CERT_LOCALLY); if you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority',
  ],
  [
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'the TLS handshake failed (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION); check the port, and what the server requires of clients',
  ],
  ['HPE_HEADER_OVERFLOW', 'the headers of its response are too large (HPE_HEADER_OVERFLOW)'],
  ['ESOMETHING', 'it failed (ESOMETHING)'],
  ['toString', 'it failed (toString)'],
])('%s is put into words', (code, words) => {
  expect(reasonOf(withCode(code))).toBe(words);
});

test('an error without a code is not quoted', () => {
  expect(reasonOf(new Error('with a secret'))).toBe('it failed (unexpected error)');
});

test('other advice replaces the usual one, but not that on certificates', () => {
  expect(reasonOf(withCode('ECONNREFUSED'), 'ask somebody')).toBe('connection refused (ECONNREFUSED); ask somebody');
  expect(reasonOf(withCode('CERT_HAS_EXPIRED'), 'ask somebody')).toContain('check the clock');
});
