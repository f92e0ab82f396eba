import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { type RunningService, startService } from '../support/http-service.js';
import { startIssuer } from '../support/issuer.js';
import { temporaryDirectory } from '../support/launch.js';
import { closedPort, listen } from '../support/loopback.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { untilHolds } from '../support/until.js';

/** What doctor says about the block `http`. */
async function checks(http: object, home = temporaryDirectory()) {
  const { code, stdout } = await runCommand(['doctor', '--json'], {
    config: { ...devToolbox({ echo: fixture() }), http },
    env: { HOME: home },
  });
  const document: { http: { what: string; state: string; text: string }[]; well: boolean } = JSON.parse(stdout);
  const of = (what: string) => document.http.find((one) => one.what === what);
  return { code, of, states: Object.fromEntries(document.http.map(({ what, state }) => [what, state])) };
}

/** The same for the file of a service that runs. */
async function checksOf(service: RunningService) {
  const file = join(service.dir, 'workbench-config.json');
  const { stdout } = await runCommand(['doctor', '--json', '--config', file], { env: { HOME: service.home } });
  return JSON.parse(stdout).http;
}

test('doctor says nothing about HTTP without a block http', async () => {
  const { stdout } = await runCommand(['doctor', '--json'], { config: devToolbox({ echo: fixture() }) });
  expect(JSON.parse(stdout)).not.toHaveProperty('http');
});

test('doctor finds a free port idle, and one of another program at fault', async () => {
  const port = await closedPort();
  const free = await checks({ listen: `127.0.0.1:${port}` });
  expect([free.code, free.states]).toEqual([0, { listen: 'idle', token: 'idle' }]);
  const other = await listen(createServer());
  const taken = await checks({ listen: `127.0.0.1:${other.port}` });
  expect([taken.code, taken.of('listen')]).toEqual([
    4,
    { what: 'listen', state: 'failed', text: expect.stringContaining('another program does') },
  ]);
});

test('doctor finds a token that others can read', async () => {
  linuxOnly('modes of files');
  const home = temporaryDirectory();
  const data = join(home, '.local/share/mcp-workbench');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(join(data, 'http-token'), `${'a'.repeat(43)}\n`, { mode: 0o600 });
  const http = { listen: `127.0.0.1:${await closedPort()}` };
  expect((await checks(http, home)).of('token')).toMatchObject({ state: 'well' });
  chmodSync(join(data, 'http-token'), 0o644);
  const { code, of } = await checks(http, home);
  expect([code, of('token')]).toMatchObject([4, { state: 'failed', text: expect.stringContaining('other users') }]);
});

test('doctor asks the issuer for its keys, and says what is wrong with it', async () => {
  const issuer = await startIssuer();
  const http = { listen: `127.0.0.1:${await closedPort()}`, auth: { issuer: issuer.url, audience: 'workbench' } };
  const well = await checks(http);
  expect(well.of('issuer')).toEqual({ what: 'issuer', state: 'well', text: `${issuer.url} names 1 key` });
  issuer.behave('away');
  const away = await checks(http);
  expect([away.code, away.of('issuer')?.state]).toEqual([4, 'failed']);
  const other = await startIssuer({ says: { issuer: 'https://other.example.com' } });
  const foreign = await checks({ ...http, auth: { ...http.auth, issuer: other.url } });
  expect(foreign.of('issuer')).toMatchObject({ state: 'failed', text: expect.stringContaining('another issuer') });
});

test('doctor compares url with the metadata of the service that runs', async () => {
  const issuer = await startIssuer();
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const config = { ...devToolbox({ echo: fixture() }), http: { url, auth: { issuer: issuer.url } } };
  const service = await startService({ config, address: `127.0.0.1:${port}` });
  // A service that is busy may not answer in time.
  await untilHolds(async () =>
    expect(await checksOf(service)).toMatchObject([
      { what: 'listen', state: 'well', text: `process ${service.pid} serves ${url}` },
      { what: 'directory', state: 'well' },
      { what: 'issuer', state: 'well' },
      { what: 'url', state: 'well' },
    ]),
  );
});

test('doctor finds a url that does not lead to the service', async () => {
  const issuer = await startIssuer();
  // As a proxy would be that passes on nothing but the endpoint.
  const url = `${issuer.origin}/mcp`;
  const config = { ...devToolbox({ echo: fixture() }), http: { url, auth: { issuer: issuer.url } } };
  const service = await startService({ config });
  const wrong = { what: 'url', state: 'failed', text: expect.stringContaining('answers 404') };
  await untilHolds(async () => expect(await checksOf(service)).toContainEqual(wrong));
});

test('doctor shows a block http that cannot be used, and starts no server for it', async () => {
  const { code, of } = await checks({ listen: '0.0.0.0:4760' });
  expect([code, of('settings')?.state]).toEqual([4, 'failed']);
});

test('doctor says whether the service of a client entry answers', async () => {
  linuxOnly('the places of the files are those of Linux');
  const service = await startService({ config: devToolbox({ echo: fixture() }) });
  const file = join(service.dir, 'workbench-config.json');
  mkdirSync(join(service.home, '.cursor'));
  const run = (...args: string[]) => runCommand([...args, '--config', file], { env: { HOME: service.home } });
  await run('connect', 'cursor', '--http', service.url, '--yes');
  const clients = async () => JSON.parse((await run('doctor', '--json')).stdout).clients;
  expect(await clients()).toMatchObject([{ client: 'cursor', state: 'well', url: service.url }]);
  expect((await run('doctor')).stdout).toContain(`${service.url} answers`);
  service.kill('SIGKILL');
  await service.exited;
  expect(await clients()).toMatchObject([
    { client: 'cursor', state: 'failed', reason: expect.stringContaining(`no service answers at ${service.url}`) },
  ]);
  expect((await run('doctor')).stdout).toMatch(/cursor +no service answers .*mcp-workbench serve --http/s);
});
