import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { serverCertificate, startHttpServer } from '../../../../test/support/loopback.js';
import { failureOf, networkFor, post, textOf } from '../../../../test/support/network.js';
import { secureContextWith } from './secure-context.js';
import { sessionCertificates } from './session-certificates.js';

const authority = fileURLToPath(new URL('../../../../test/fixtures/tls/server-cert.pem', import.meta.url));

test('sessions of one process trust the certificates of their own file, and no others', async () => {
  const { origin } = await startHttpServer(undefined, { tls: serverCertificate });
  const trusting = networkFor(origin, { certificates: authority });
  expect(await textOf(post(trusting, origin))).toBe('ok');
  expect((await failureOf(post(networkFor(origin), origin))).message).toContain('its certificate is not trusted');
});

test('a file of certificates that is missing or has none adds none', async () => {
  const { origin } = await startHttpServer(undefined, { tls: serverCertificate });
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'empty.pem'), 'no certificate');
  for (const name of ['missing.pem', 'empty.pem']) {
    const network = networkFor(origin, { certificates: join(directory, name) });
    expect((await failureOf(post(network, origin))).message).toContain('its certificate is not trusted');
  }
});

test('the certificates of a file are read once for all sessions, until it changes', () => {
  const file = join(temporaryDirectory(), 'company.pem');
  copyFileSync(authority, file);
  const first = secureContextWith(file);
  expect(first).toBeDefined();
  expect(secureContextWith(file)).toBe(first);
  writeFileSync(file, 'no certificate');
  expect(secureContextWith(file)).not.toBe(first);
});

test('the file that NODE_EXTRA_CA_CERTS of a session names is read unless Node.js has read it, relative to the session', () => {
  const session = { env: { NODE_EXTRA_CA_CERTS: 'company.pem' }, cwd: '/project' };
  expect(sessionCertificates(session, {})).toBe(join('/project', 'company.pem'));
  expect(sessionCertificates(session, session.env)).toBeUndefined();
  expect(sessionCertificates({ ...session, env: {} }, {})).toBeUndefined();
});
