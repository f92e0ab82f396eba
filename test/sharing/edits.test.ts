import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quickFile } from '../../src/config/read/quick.js';
import { frameKinds } from '../../src/serve/host/frames.js';
import { methods } from '../../src/serve/host/protocol.js';
import { devToolbox } from '../support/configs.js';
import { connectTo, helloOf } from '../support/host-client.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, shareSessions, use } from '../support/shared.js';
import { until } from '../support/until.js';

linuxOnly('counts processes in /proc');

test('of several edits that reach the host together the last one counts, though reading it takes less time', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  await call(await shared.start(), 'echo');
  const config = (text: string) => ({ path: shared.file, text });
  const given = readFileSync(shared.file, 'utf8');
  const client = connectTo(shared, helloOf({ config: config(given) }));
  await until(() => client.text().includes('"attached"'));
  const edited = (server: string) => given.replace('"any":', `"${server}":`);
  // A key of another client keeps the quick reader from reading it; another part has to be loaded first.
  const slow = (server: string) => edited(server).replace('"command":', '"autoApprove":[],"command":');
  expect(quickFile(slow('first'))).toBeUndefined();
  const texts = [slow('first'), edited('second'), slow('third'), edited('last')];
  for (const text of texts) {
    const control = { method: methods.apply, params: { env: {}, config: config(text) } };
    client.send(frameKinds.control, 0, JSON.stringify(control));
  }
  const servers = ['first', 'second', 'third', 'last'];
  let number = 0;
  /** Whether the server is there: which of the names are says which edit counts. */
  async function isServed(server: string): Promise<boolean> {
    const own = ++number;
    const request = { jsonrpc: '2.0', id: own, method: 'tools/call', params: use('echo', { server }, server) };
    client.send(frameKinds.request, own, JSON.stringify(request));
    const answer = await until(() =>
      client.frames().find((frame) => frame.number === own && frame.kind === frameKinds.result),
    );
    return JSON.parse(answer.text).isError !== true;
  }
  await until(() => isServed('last'), { what: 'the last edit' });
  for (const server of servers) expect(await isServed(server)).toBe(server === 'last');
});
