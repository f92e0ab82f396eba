import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const validForSeconds = 300;
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An issuer of access tokens on loopback: `url`, `token(subject, audience)` and `close()`. */
export async function startIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }];
  const documents = new Map();
  const server = createServer(({ url }, response) => {
    const document = documents.get(url);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  documents.set('/jwks', { keys });
  documents.set('/.well-known/oauth-authorization-server', { issuer, jwks_uri: `${issuer}/jwks` });

  return {
    url: issuer,
    token(sub, aud) {
      const now = Math.floor(Date.now() / 1_000);
      const claims = { iss: issuer, sub, aud, iat: now, exp: now + validForSeconds };
      const content = `${encoded({ alg: 'ES256', kid, typ: 'at+jwt' })}.${encoded(claims)}`;
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${content}.${signature.toString('base64url')}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
