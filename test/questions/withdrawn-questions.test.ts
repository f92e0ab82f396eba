import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { connectRaw, everything, oneServer, program, type RawAgent } from '../support/forwarding.js';
import { liveConfig } from '../support/live-config.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { hostOf, shareSessions, use } from '../support/shared.js';
import { until } from '../support/until.js';
import type { Message, RunningWorkbench } from '../support/workbench.js';

const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Your name?', requestedSchema: { type: 'object', properties: {} } },
};

interface Case {
  readonly tool?: string;
  readonly args?: object;
  /** What ends the question. */
  readonly ends?: (agent: RawAgent, call: unknown) => void;
  readonly reason: RegExp;
  /** Where processes are the subject. */
  readonly through?: typeof program;
}

const cases: readonly (readonly [string, Case])[] = [
  [
    'whose server exits',
    {
      tool: 'ask_and_die',
      args: { dieAfterMs: 50 },
      reason: /^the server that asked was lost: it exited with code 1; /,
    },
  ],
  [
    'that its server withdraws',
    { tool: 'ask_and_withdraw', args: { withdrawAfterMs: 50 }, reason: /^the server withdrew its question$/ },
  ],
  [
    'whose call the agent cancels',
    {
      ends: ({ workbench }, requestId) => workbench.notify('notifications/cancelled', { requestId }),
      reason: /^the agent cancelled the call$/,
    },
  ],
  [
    'whose session ends',
    { through: program, ends: ({ workbench }) => workbench.kill('SIGTERM'), reason: /^the session has ended$/ },
  ],
];

test.each(cases)(
  'a question %s is withdrawn with that reason',
  async (_, { tool = 'ask', args, ends, reason, through }) => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything, through);
    const call = agent.send(tool, { ...question, ...args });
    const asked = await agent.next('elicitation/create');
    ends?.(agent, call);
    const { params } = await agent.next('notifications/cancelled');
    expect(params).toMatchObject({ requestId: asked.id, reason: expect.stringMatching(reason) });
  },
);

test('a question whose server is disabled by an edit is withdrawn when its call may last no longer', async () => {
  const entry = { ...fixture(), callTotalTimeoutMs: 3_000 };
  const agent = await connectRaw('legacy', devToolbox({ any: entry, other: fixture() }), everything, program);
  const call = agent.send('ask', question);
  const asked = await agent.next('elicitation/create');
  liveConfig(agent.workbench).write(devToolbox({ any: { ...entry, disabled: true }, other: fixture() }));
  const { params } = await agent.next('notifications/cancelled');
  expect(params).toEqual({ requestId: asked.id, reason: 'the workbench closed the connection' });
  expect(JSON.stringify(await agent.workbench.answerTo(call))).toContain('failed: the workbench closed the connection');
});

/** Makes a call whose server asks, and waits for the question. */
async function questionTo(session: RunningWorkbench): Promise<unknown> {
  session.send({ id: 'asks', method: 'tools/call', params: use('ask', question) });
  return (await until(() => messages(session).find(({ method }) => method === 'elicitation/create'))).id;
}

function messages(session: RunningWorkbench): (Message & { id?: unknown })[] {
  return session.lines.map((line) => JSON.parse(line));
}

test.each([
  ['whose server is killed', 'server', 'SIGKILL', /^the server that asked was lost: it was killed by SIGKILL; /],
  ['whose host is killed', 'host', 'SIGKILL', /^the host that asked was lost$/],
  ['whose host is ended', 'host', 'SIGTERM', /^the host that asked was ended$/],
] as const)('through a host, a question %s is withdrawn with that reason', async (_, which, signal, reason) => {
  linuxOnly('finds processes in /proc');
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const session = await shared.start({ capabilities: { elicitation: {} } });
  const requestId = await questionTo(session);
  const ended = which === 'host' ? hostOf(shared) : await until(() => shared.servers()[0]);
  process.kill(ended.pid, signal);
  const withdrawn = await until(() => messages(session).find(({ method }) => method === 'notifications/cancelled'));
  expect(withdrawn.params).toMatchObject({ requestId, reason: expect.stringMatching(reason) });
});
