import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quickFile } from '../../src/config/read/quick.js';
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
  const send = (message: object) => client.socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for (const text of texts) send({ method: 'workbench/apply', params: { env: {}, config: config(text) } });
  await until(() => client.text().split('workbench/limit').length > texts.length, { what: 'an answer to every edit' });
  const servers = ['first', 'second', 'third', 'last'];
  for (const server of servers) send({ id: server, method: 'tools/call', params: use('echo', { server }, server) });
  const lines = await until(() => {
    const answers = client
      .text()
      .split('\n')
      .filter((line) => line.includes('"id":"'));
    return answers.length === servers.length && answers;
  });
  const served = lines.map((line) => JSON.parse(line)).filter(({ result }) => result.isError !== true);
  expect(served.map(({ id }) => id)).toEqual(['last']);
});
