import { codeOf } from './network-failure.js';

// What went wrong and what to check, by the code of the error. Messages of Node.js and OpenSSL are not used: they quote
// addresses and differ between versions.

type Phrase = readonly [what: string, check?: string];

const untrusted = (kind: string): Phrase => [
  `its certificate is not trusted: ${kind}`,
  'if you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority',
];
const unreachable: Phrase = ['it is unreachable', 'check the network, and whether a VPN or a proxy is needed'];
const notTls: Phrase = ['it does not speak TLS', 'check the port, and whether the URL must begin with http://'];
const handshakeFailed: Phrase = ['the TLS handshake failed', 'check the port, and what the server requires of clients'];
const noHttp: Phrase = ['it does not speak HTTP', 'check the port, and whether the URL must begin with https://'];
const filesLeft: Phrase = ['too many open files', 'close programs, or raise the limit of open files'];

const certificatePhrases: Readonly<Record<string, Phrase>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('it is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted('an authority in its chain is self-signed'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('its issuer is unknown'),
  UNABLE_TO_GET_ISSUER_CERT: untrusted('its issuer is unknown'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted('its issuer is unknown'),
  CERT_UNTRUSTED: untrusted('its issuer is unknown'),
  CERT_HAS_EXPIRED: ['its certificate has expired', 'renew it, or check the clock of this computer'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'check the clock of this computer'],
  CERT_REVOKED: ['its certificate was revoked'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'check the name of the host'],
};

const phrases: Readonly<Record<string, Phrase>> = {
  ECONNREFUSED: ['connection refused', 'check that the server runs and the port is right'],
  ECONNRESET: ['the connection was closed or reset', 'check that the server runs'],
  EPIPE: ['the connection was closed', 'check that the server runs'],
  ETIMEDOUT: ['timed out', 'check the network, and whether a VPN or a proxy is needed'],
  ENOTFOUND: ['unknown host', 'check the name of the host'],
  EAI_AGAIN: ['the name of the host could not be looked up', 'check the network and its DNS server'],
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  EACCES: ['not permitted', 'check the firewall of this computer'],
  EPERM: ['not permitted', 'check the firewall of this computer'],
  EMFILE: filesLeft,
  ENFILE: filesLeft,

  EPROTO: handshakeFailed,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['it requires a client certificate, which is not supported'],
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,

  HPE_HEADER_OVERFLOW: ['the headers of its response are too large'],

  ERR_INVALID_CHAR: ['a header has a character that is not allowed', 'check the headers and the URL'],
  ERR_UNESCAPED_CHARACTERS: ['the path has a character that is not allowed', 'check the URL'],
  ERR_INVALID_HTTP_TOKEN: ['a header has a name that is not allowed', 'check the headers'],

  Z_DATA_ERROR: ['its compressed data is broken'],
  Z_BUF_ERROR: ['its compressed data ended too early'],
};

/**
 * E.g. `connection refused (ECONNREFUSED); check that the server runs and the port is right`. The advice can be replaced by
 * a better one, except on certificates.
 */
export function reasonOf(error: unknown, otherAdvice?: string): string {
  const code = codeOf(error) ?? 'unexpected error';
  const ofCertificate = Object.hasOwn(certificatePhrases, code) ? certificatePhrases[code] : undefined;
  const [what, ownAdvice] = ofCertificate ?? phraseOf(code);
  const advice = ofCertificate === undefined ? (otherAdvice ?? ownAdvice) : ownAdvice;
  return advice === undefined ? `${what} (${code})` : `${what} (${code}); ${advice}`;
}

function phraseOf(code: string): Phrase {
  if (Object.hasOwn(phrases, code)) return phrases[code] ?? ['it failed'];
  if (code.startsWith('HPE_')) return noHttp;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return handshakeFailed;
  if (code.startsWith('ERR__ERROR_') || code.startsWith('ERR_BROTLI_')) return ['its compressed data is broken'];
  return ['it failed'];
}
