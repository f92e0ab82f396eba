import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

export interface TestPackage {
  readonly name: string;
  readonly version: string;
  /** By their path in the package. The programs among them are executable. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly [field: string]: unknown;
}

export interface Registry {
  readonly url: string;
  /** The paths that were asked for. */
  readonly requests: readonly string[];
  /** The newest version is `latest`. */
  publish(...packages: readonly TestPackage[]): void;
  /** From now on tarballs are not sent, until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** A registry for npm on loopback, from memory. */
export async function startRegistry(...packages: readonly TestPackage[]): Promise<Registry> {
  const published: TestPackage[] = [...packages];
  const requests: string[] = [];
  let held: (() => void)[] | undefined;
  const server = createServer(({ url = '/' }, response) => {
    const asked = decodeURIComponent(url);
    requests.push(asked);
    const send = () => answer(asked, response);
    if (held !== undefined && asked.endsWith('.tgz')) held.push(send);
    else send();
  });

  function answer(asked: string, response: ServerResponse): void {
    const tarball = published.find((one) => asked === `/${one.name}/-/${one.version}.tgz`);
    if (tarball !== undefined) return void response.end(tarballOf(tarball));
    const versions = published.filter(({ name }) => asked === `/${name}`);
    const latest = versions.at(-1);
    if (latest === undefined) return void response.writeHead(404).end('{"error":"Not found"}');
    const manifests = versions.map((one) => [one.version, manifestOf(one, address())]);
    const content = {
      name: latest.name,
      'dist-tags': { latest: latest.version },
      versions: Object.fromEntries(manifests),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(content));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url: address(),
    requests,
    publish: (...more) => void published.push(...more),
    hold() {
      held ??= [];
    },
    release() {
      for (const send of held ?? []) send();
      held = undefined;
    },
    close,
  };
}

function manifestOf(published: TestPackage, registry: string): object {
  const { files: _, ...manifest } = published;
  const { name, version } = published;
  const integrity = `sha512-${createHash('sha512').update(tarballOf(published)).digest('base64')}`;
  return { ...manifest, dist: { tarball: `${registry}/${name}/-/${version}.tgz`, integrity } };
}

function tarballOf({ files = {}, ...manifest }: TestPackage): Buffer {
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  const entries = Object.entries(all).map(([file, content]) => tarEntry(`package/${file}`, Buffer.from(content)));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));
}

function tarEntry(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000755\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
