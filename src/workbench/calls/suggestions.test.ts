import { expect, test } from 'vitest';
import { configOf, connectTo, FakeServer, serverConfig } from '../../../test/support/fake-port.js';
import type { ServerConfig } from '../../config/config.js';
import { silentLog } from '../../platform/log.js';
import { createWorkbench } from '../workbench.js';

type Entry = Partial<Pick<ServerConfig, 'disabled' | 'toolFilters' | 'rules'>>;

/** Toolboxes with these servers, of which all have the tools `create_issue` and `close_issue`. */
function workbenchOf(boxes: Readonly<Record<string, Readonly<Record<string, Entry>>>>) {
  const fake = new FakeServer();
  fake.tools = ['create_issue', 'close_issue'];
  const toolboxes = Object.entries(boxes).map(([name, entries]) => {
    const servers = Object.entries(entries).map(
      ([server, entry]) => [server, serverConfig({ ...entry, toolbox: name, name: server })] as const,
    );
    return [name, { name, description: 'For tests', servers: new Map(servers) }] as const;
  });
  const names = Object.values(boxes).flatMap((entries) => Object.keys(entries));
  const connect = connectTo(Object.fromEntries(names.map((name) => [name, fake])));
  const workbench = createWorkbench({ ...configOf([]), toolboxes: new Map(toolboxes) }, connect, silentLog);
  return { workbench, fake };
}

async function hintFor(elsewhere: Entry): Promise<string> {
  const { workbench } = workbenchOf({ everyday: { notes: {}, mail: {} }, work: { tracker: elsewhere } });
  const call = async () => workbench.useTool({ toolbox: 'everyday', server: 'tracker', name: 'create_issue' });
  const error: unknown = await call().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: "Server 'tracker' not found in toolbox 'everyday'" });
  return error instanceof Error && 'hint' in error ? String(error.hint) : '';
}

test('a server of another toolbox is named, with the next step', async () => {
  expect(await hintFor({})).toBe(
    "Toolbox 'work' has a server of this name; open it to see its tools. Servers in 'everyday': notes, mail.",
  );
});

test.each([
  ['a filter hides its tool', { toolFilters: ['close_*'] }],
  ['a rule denies its tool', { rules: [{ from: 'server' as const, deny: ['create_*'], ask: [], allow: [] }] }],
  ['it is disabled', { disabled: true }],
])('a server of another toolbox is not named if %s', async (_, entry) => {
  expect(await hintFor(entry)).toBe("Servers in 'everyday': notes, mail.");
});

test('known tools are found by their name, or by a similar one, and nothing is started for it', async () => {
  const { workbench, fake } = workbenchOf({ dev: { a: {} }, work: { b: {}, c: { toolFilters: ['close_*'] } } });
  expect(await workbench.knownTools('create_issue')).toEqual([]);
  expect(fake.starts).toBe(0);
  await workbench.openToolbox('dev');
  await workbench.openToolbox('work');
  const [inA, inB] = [
    { toolbox: 'dev', server: 'a', name: 'create_issue' },
    { toolbox: 'work', server: 'b', name: 'create_issue' },
  ];
  expect(await workbench.knownTools('create_issue')).toEqual([inA, inB]);
  expect((await workbench.knownTools('github.create_issue')).slice(0, 2)).toEqual([inA, inB]);
  expect(await workbench.knownTools('xylophone')).toEqual([]);
});
