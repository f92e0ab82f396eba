import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { initialize, modern, startWorkbench } from '../support/workbench.js';
import { withNetwork } from './namespaces.js';

/** What was sent: bytes over all interfaces (`/proc/net/dev`), and attempts, including ones without a route (`snmp`, `snmp6`). */
function trafficIn(report: string): { bytes: number; attempts: number } {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const interfaces = report.match(/^\s*[^\s:]+:(?:\s*\d+){16}\s*$/gm) ?? [];
  const bytes = interfaces.map((line) => Number(line.split(':')[1]?.trim().split(/\s+/)[8]));
  const [names = '', values = ''] = report.match(/^Ip: .*$/gm) ?? [];
  const counters = new Map(names.split(' ').map((name, index) => [name, Number(values.split(' ')[index])]));
  const sixth = [...report.matchAll(/^Ip6Out(?:Requests|NoRoutes)\s+(\d+)$/gm)].map(([, count]) => Number(count));
  const fourth = ['OutRequests', 'OutNoRoutes'].map((name) => counters.get(name) ?? Number.NaN);
  return { bytes: sum(bytes), attempts: sum([...fourth, ...sixth]) };
}

const counters = '/proc/net/dev /proc/net/snmp /proc/net/snmp6';

const runs: [string, (workbench: ReturnType<typeof startWorkbench>) => Promise<void>][] = [
  [
    'the opening of either era',
    async (workbench) => {
      await initialize(workbench);
      await workbench.request('tools/list', {});
      await workbench.request('server/discover', modern());
      await workbench.request('tools/list', modern());
    },
  ],
  [
    'a toolbox of local servers',
    async (workbench) => {
      await initialize(workbench);
      const open = { name: 'open_toolbox', arguments: { toolbox: 'dev' } };
      expect((await workbench.request('tools/call', open)).result).not.toHaveProperty('isError');
      const tool = { toolbox: 'dev', server: 'any', name: 'echo' };
      await workbench.request('tools/call', { name: 'use_tool', arguments: { tool } });
    },
  ],
];

test.each(runs)('%s touches no network', async (_, talk) => {
  const report = join(temporaryDirectory(), 'report');
  const through = withNetwork(`cat ${counters} > '${report}'`);
  const workbench = startWorkbench({ config: devToolbox({ any: fixture() }), through });
  await talk(workbench);
  workbench.end();
  expect((await workbench.exited).code).toBe(0);
  expect(trafficIn(readFileSync(report, 'utf8'))).toEqual({ bytes: 0, attempts: 0 });
});

test('traffic would be seen', async () => {
  const report = join(temporaryDirectory(), 'report');
  const through = withNetwork(`cat ${counters} > '${report}'`);
  const knock = "require('net').connect(9, '127.0.0.1').on('error', () => {})";
  const workbench = startWorkbench({
    config: devToolbox({ any: { command: process.execPath, args: ['-e', knock] } }),
    through,
  });
  await initialize(workbench);
  await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  workbench.end();
  await workbench.exited;
  const { bytes, attempts } = trafficIn(readFileSync(report, 'utf8'));
  expect(bytes).toBeGreaterThan(0);
  expect(attempts).toBeGreaterThan(0);
});
