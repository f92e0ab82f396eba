import { type Agent, connectAgent, text } from './agents.js';
import { residentMb } from './bare-client.js';
import { devToolbox, type ServerEntry } from './configs.js';
import { expectNotHeldUp } from './hostile.js';
import { runnerOf } from './hosts.js';
import { overHttp, type Remote, type RemoteOptions } from './remote.js';
import { fixture } from './servers.js';

/** A workbench with a remote server `any` that attacks, and a local one. */
export interface AttackedByRemote {
  readonly agent: Agent;
  readonly remote: Remote;
  /** Calls a tool while another server is in use, and expects that the other is not held up. */
  readonly use: (tool: string, args?: object) => Promise<string>;
  readonly grownMb: () => number;
}

export async function connectAttacked(
  entry: ServerEntry,
  settings: object = {},
  options: RemoteOptions = { sessions: true, answers: 'sse' },
): Promise<AttackedByRemote> {
  const remote = await overHttp(entry, options);
  const config = devToolbox({ any: { ...remote.entry, ...settings }, other: fixture() });
  const agent = await connectAgent('v2 modern', { config });
  await agent.open('dev');
  const before = residentMb(runnerOf(agent));
  return {
    agent,
    remote,
    use: async (tool, args) =>
      text(await expectNotHeldUp(agent, ['dev', 'other'], () => agent.use('dev', 'any', tool, args))),
    grownMb: () => residentMb(runnerOf(agent)) - before,
  };
}
