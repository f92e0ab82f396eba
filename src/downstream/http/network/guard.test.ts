import { describe, expect, test } from 'vitest';
import { fakeInternet } from '../../../../test/support/fake-internet.js';
import { type HttpServer, serverCertificate, startHttpServer } from '../../../../test/support/loopback.js';
import { failureOf, get, networkFor, post, textOf } from '../../../../test/support/network.js';
import { startProxy } from '../../../../test/support/proxy.js';

const shop = 'http://shop.test/mcp';
const publicAddress = '8.8.8.8';

interface Place {
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly servers?: Readonly<Record<string, number>>;
  /** Of the configured server, at each look-up. */
  readonly addresses?: readonly (readonly string[])[];
}

/** A server at shop.test that redirects `/mcp` to a place, and a canary that nothing may reach. */
async function redirecting(location: (canary: HttpServer) => string, place: Place = {}) {
  const { names = {}, servers = {}, addresses = [[publicAddress]] } = place;
  const canary = await startHttpServer();
  const server = await startHttpServer((response, { url }) =>
    url === '/mcp'
      ? response.writeHead(307, { location: location(canary), connection: 'close' }).end()
      : response.end('ok'),
  );
  const internet = fakeInternet(
    { 'shop.test': addresses, ...names },
    {
      [publicAddress]: server.port,
      '10.0.0.5': server.port,
      '127.0.0.1': canary.port,
      '169.254.169.254': canary.port,
      '::1': canary.port,
      ...servers,
    },
  );
  const network = networkFor(shop, internet);
  return { server, canary, internet, network };
}

describe('a server on a public address', () => {
  test.each([
    ['http://127.0.0.1/', 'its address is not public'],
    ['https://127.0.0.1/', 'its address is not public'],
    ['https://2130706433/', 'its address is not public'],
    ['https://0x7f.1/', 'its address is not public'],
    ['https://127.0.0.1./', 'its address is not public'],
    ['https://[::1]/', 'its address is not public'],
    ['https://[::ffff:127.0.0.1]/', 'its address is not public'],
    ['https://[::127.0.0.1]/', 'its address is not public'],
    ['https://[64:ff9b::7f00:1]/', 'its address is not public'],
    ['https://0.0.0.0/', 'its address is not public'],
    ['https://192.168.1.1/', 'its address is not public'],
    ['https://169.254.169.254/latest/meta-data/', 'its address is not public'],
    ['http://169.254.169.254/latest/meta-data/', 'its address is not public'],
    ['https://[fd00:ec2::254]/', 'its address is not public'],
    ['https://localhost/', 'its host is not public'],
    ['https://LOCALHOST./', 'its host is not public'],
    ['https://app.localhost/', 'its host is not public'],
    ['http://public.test/', 'it is not https'],
    ['http://shop.test:8080/', 'it is not https'],
  ])('cannot lead to %s: %s', async (target, problem) => {
    const { network, internet, canary } = await redirecting(() => target);
    const shown = new URL(target);
    expect(await failureOf(post(network, shop))).toMatchObject({
      message: `${shop} redirects to ${shown.origin}${shown.pathname}, which is refused: ${problem}; if you trust it, configure that URL`,
      wasSent: false,
    });
    expect(internet.attempts).toEqual([`${publicAddress}:80`]);
    expect(internet.lookups).toEqual(['shop.test']);
    expect(canary.connections()).toBe(0);
  });

  test.each([['127.0.0.1'], ['169.254.169.254'], ['::1'], ['10.0.0.1'], ['fd00:ec2::254']])(
    'cannot lead to a name with the address %s',
    async (address) => {
      const { network, internet, canary } = await redirecting(() => 'https://inside.test/x', {
        names: { 'inside.test': [[address]] },
        servers: {},
      });
      expect((await failureOf(post(network, shop))).message).toBe(
        `${shop} redirects to https://inside.test/x, which is refused: the address of its host is not public; if you trust it, configure that URL`,
      );
      expect(internet.lookups).toEqual(['shop.test', 'inside.test']);
      expect(internet.attempts).toEqual([`${publicAddress}:80`]);
      expect(canary.connections()).toBe(0);
    },
  );

  test('cannot lead to a name that is public at the first look-up and loopback at the second', async () => {
    const { network, internet, canary } = await redirecting(() => 'https://rebound.test/', {
      names: { 'rebound.test': [['1.1.1.1'], ['127.0.0.1']] },
    });
    // The first is let through: it fails because nothing is there.
    expect((await failureOf(post(network, shop))).code).toBe('ENETUNREACH');
    expect((await failureOf(post(network, shop))).message).toContain('the address of its host is not public');
    expect(internet.attempts).toEqual([`${publicAddress}:80`, '1.1.1.1:443', `${publicAddress}:80`]);
    expect(canary.connections()).toBe(0);
  });

  test('does not turn the guard off by a name of its own that leads to loopback later', async () => {
    const { network, internet, canary } = await redirecting((at) => `http://127.0.0.1:${at.port}/`, {
      addresses: [[publicAddress], ['10.0.0.5']],
    });
    expect((await failureOf(post(network, shop))).message).toContain('its address is not public');
    expect((await failureOf(post(network, shop))).message).toContain('its address is not public');
    expect(internet.attempts).toEqual([`${publicAddress}:80`, '10.0.0.5:80']);
    expect(canary.connections()).toBe(0);
  });

  test('keeps the guard on if it had a private address first', async () => {
    const { network, internet, canary } = await redirecting((at) => `http://127.0.0.1:${at.port}/`, {
      addresses: [['10.0.0.5'], [publicAddress]],
      servers: { '10.0.0.5': (await startHttpServer((response) => response.end().destroy())).port },
    });
    await textOf(get(network, 'http://shop.test/')).catch(() => undefined);
    expect((await failureOf(post(network, shop))).message).toContain('its address is not public');
    expect(internet.attempts).toEqual(['10.0.0.5:80', `${publicAddress}:80`]);
    expect(canary.connections()).toBe(0);
  });

  test('can lead to a public https URL, of whose addresses only public ones are used', async () => {
    const secure = await startHttpServer(undefined, { tls: serverCertificate });
    const { network, internet, canary } = await redirecting(() => 'https://other.test/', {
      names: { 'other.test': [['127.0.0.1', '1.1.1.1', '::1']] },
      servers: { '1.1.1.1': secure.port },
    });
    // It gets as far as the certificate, which is self-signed.
    expect((await failureOf(post(network, shop))).code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(internet.attempts).toEqual([`${publicAddress}:80`, '1.1.1.1:443']);
    expect(canary.connections()).toBe(0);
  });

  test('cannot lead inside by a connection that ends elsewhere than its look-up', async () => {
    const secure = await startHttpServer(undefined, { tls: serverCertificate });
    const { network, internet } = await redirecting(() => 'https://other.test/', {
      names: { 'other.test': [['1.1.1.1']] },
      servers: { '1.1.1.1': secure.port },
    });
    const connect: typeof internet.connect = (options) => {
      const socket = internet.connect(options);
      if (options.host === 'other.test') {
        socket.prependOnceListener('connect', () => {
          Object.defineProperty(socket, 'remoteAddress', { value: '192.168.1.1' });
        });
      }
      return socket;
    };
    network.close();
    expect((await failureOf(post(networkFor(shop, { ...internet, connect }), shop))).message).toContain(
      'the address of its host is not public',
    );
  });

  test('can lead to another path of its own without https', async () => {
    const { network } = await redirecting(() => '/there');
    expect(await textOf(post(network, shop))).toBe('ok');
  });

  test('is guarded as well where a URL was learned in another way than by a redirect', async () => {
    const { network, canary } = await redirecting(() => '/');
    const url = `http://127.0.0.1:${canary.port}/.well-known/oauth-authorization-server`;
    expect(await failureOf(get(network, url))).toMatchObject({
      message: `refused to connect to ${url}: its address is not public; if you trust it, configure that URL`,
      wasSent: false,
    });
    expect(canary.connections()).toBe(0);
  });
});

describe('a server on a private address', () => {
  const inside = { addresses: [['10.0.0.5']] };

  test('can lead to others there, without https', async () => {
    const { network, canary } = await redirecting((at) => `http://127.0.0.1:${at.port}/`, inside);
    expect(await textOf(post(network, shop))).toBe('ok');
    expect(canary.connections()).toBe(1);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://100.100.100.200/',
  ])('cannot lead to %s', async (target) => {
    const { network, internet } = await redirecting(() => target, inside);
    expect((await failureOf(post(network, shop))).message).toContain(
      'which is refused: its address is link-local or a metadata service; if you trust it',
    );
    expect(internet.attempts).toEqual(['10.0.0.5:80']);
  });

  test('cannot lead to a name of the metadata address', async () => {
    const { network, internet } = await redirecting(() => 'http://meta.test/', {
      ...inside,
      names: { 'meta.test': [['169.254.169.254']] },
    });
    expect((await failureOf(post(network, shop))).message).toContain('the address of its host is link-local');
    expect(internet.attempts).toEqual(['10.0.0.5:80']);
  });

  test.each(['http://localhost', 'http://127.0.0.1', 'http://[::1]', 'http://app.localhost'])(
    'is one by its URL alone: %s',
    async (configured) => {
      const other = await startHttpServer();
      const network = networkFor(configured);
      expect(await textOf(get(network, other.origin))).toBe('ok');
    },
  );

  test('may be a link-local one, and then lead to its own host', async () => {
    const server = await startHttpServer();
    const configured = 'http://169.254.10.10:8080/';
    const internet = fakeInternet({}, { '169.254.10.10': server.port });
    const network = networkFor(configured, internet);
    expect(await textOf(get(network, configured))).toBe('ok');
    expect(await textOf(get(network, 'http://169.254.10.10:9090/'))).toBe('ok');
    expect((await failureOf(get(network, 'http://169.254.169.254/'))).message).toContain('refused to connect');
  });
});

describe('through a proxy', () => {
  async function throughProxy(location: string, configured = shop) {
    const server = await startHttpServer((response, { url }) =>
      url === '/mcp' ? response.writeHead(307, { location }).end() : response.end('ok'),
    );
    const { host } = new URL(configured);
    const proxy = await startProxy({ ports: { [`${host}:80`]: server.port } });
    const network = networkFor(configured, { env: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url } });
    return { proxy, network };
  }

  test.each([
    'https://127.0.0.1/',
    'https://169.254.169.254/',
    'https://localhost/',
    'https://intranet/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://nas.home.arpa/',
    'http://public.test/',
  ])('a server whose address is not known cannot lead to %s', async (target) => {
    const { proxy, network } = await throughProxy(target);
    expect((await failureOf(post(network, shop))).message).toContain(`redirects to ${target}, which is refused`);
    expect(proxy.tunnels).toEqual(['shop.test:80']);
  });

  test('it can lead to a name that may be public', async () => {
    const { proxy, network } = await throughProxy('https://metadata.example.com/');
    await failureOf(post(network, shop));
    expect(proxy.tunnels).toEqual(['shop.test:80', 'metadata.example.com:443']);
  });

  test.each([
    'http://169.254.169.254/',
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://instance-data/',
  ])('a server on a private address cannot lead to %s', async (target) => {
    const { proxy, network } = await throughProxy(target, 'http://10.0.0.7/mcp');
    expect((await failureOf(post(network, 'http://10.0.0.7/mcp'))).message).toContain('which is refused');
    expect(proxy.tunnels).toEqual(['10.0.0.7:80']);
  });
});
