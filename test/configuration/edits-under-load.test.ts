import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Agent, connectAgent, opened, type RawResult, statsOf, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { liveConfig } from '../support/live-config.js';
import { scriptedServersWith, seesProcesses } from '../support/processes.js';
import { fixture, real } from '../support/servers.js';
import { until } from '../support/until.js';

const edits = 100;
const isBroken = (edit: number) => edit % 10 === 5;

/** Calls again and again until it is stopped, and leaves time for the others. Returns the results that are errors. */
function load(call: () => Promise<RawResult>) {
  const failures: string[] = [];
  const state = { calls: 0, isStopped: false };
  const run = async () => {
    while (!state.isStopped) {
      const result = await call();
      state.calls += 1;
      if (result.isError === true) failures.push(text(result));
      await wait(5);
    }
  };
  const running = run();
  return {
    calls: () => state.calls,
    async stop() {
      state.isStopped = true;
      await running;
      return failures;
    },
  };
}

const versionOf = async (agent: Agent) => JSON.parse(text(await agent.use('dev', 'changing', 'env')))['VERSION'];

test('100 edits under load, 10 of them broken: nothing fails on unchanged servers, and they keep their processes', async () => {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, 'files'));
  writeFileSync(join(dir, 'files', 'a.txt'), 'hello');
  const config = (edit: number) => {
    const servers: Record<string, ServerEntry> = {
      files: real.filesystem(join(dir, 'files')),
      memory: real.memory(join(dir, 'memory.jsonl')),
      same: { ...fixture(), callTimeoutMs: 60_000 + edit },
      changing: { ...fixture(), env: { VERSION: String(edit) } },
      ...(edit % 3 === 0 && { sometimes: fixture() }),
    };
    return devToolbox(servers);
  };
  const agent = await connectAgent('v2 legacy', { config: config(0) });
  const live = liveConfig(agent);
  expect(opened(await agent.open('dev')).servers_connected).toBe(5);
  const { pid } = await statsOf(agent, 'dev', 'same');
  const children = () => scriptedServersWith(agent.marker).map((one) => one.pid);

  const loads = [
    load(() => agent.use('dev', 'files', 'read_text_file', { path: join(dir, 'files', 'a.txt') })),
    load(() => agent.use('dev', 'memory', 'read_graph', {})),
    load(() => agent.use('dev', 'same', 'sleep', { ms: 30 })),
    // What a call starts with is what it ends with, on a server that is being replaced as well.
    load(() => agent.use('dev', 'changing', 'sleep', { ms: 30 })),
  ];
  for (let edit = 1; edit <= edits; edit++) {
    const before = agent.stderr().length;
    if (isBroken(edit)) live.writeText(`{ "toolboxes": {${'\n'.repeat(edit)}!`);
    else if (edit % 2 === 0) live.write(config(edit));
    else live.replace(config(edit));
    const sign = isBroken(edit) ? `workbench-config.json:${edit + 1}:1` : 'read again';
    // Not all are waited for, so that there are edits in the middle of others as well.
    if (edit % 4 !== 1 || isBroken(edit)) await until(() => agent.stderr().slice(before).includes(sign));
  }
  await until(async () => (await versionOf(agent)) === String(edits));
  for (const one of loads) {
    expect(one.calls()).toBeGreaterThan(20);
    expect(await one.stop()).toEqual([]);
  }
  expect((await statsOf(agent, 'dev', 'same')).pid).toBe(pid);
  expect(agent.stderr().split('stays in use')).toHaveLength(11);
  expect(agent.stderr().match(/dev\/(?:files|memory|same): ready/g)).toHaveLength(3);
  // 100 is not a multiple of 3.
  if (seesProcesses) await until(() => children().length === 2 && children().includes(pid));
}, 180_000);
