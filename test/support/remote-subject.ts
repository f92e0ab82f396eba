import { type Agent, text } from './agents.js';
import { type CallLog, callLog } from './call-log.js';
import { devToolbox } from './configs.js';
import { type Era, serverOf } from './forwarding.js';
import { connectAgent } from './in-process.js';
import { type HttpRequest, overHttp, type Remote } from './remote.js';

/** Of a call that may have been executed. */
export const unknownOutcome = 'It is unknown whether the tool took effect. The call was not retried.';

export interface RemoteSubject {
  readonly agent: Agent;
  readonly remote: Remote;
  /** What the server behind the bridge received. */
  readonly calls: CallLog;
  readonly use: (tool: string, args?: object) => Promise<string>;
  /** The HTTP requests that call this tool. */
  readonly sentFor: (tool: string) => HttpRequest[];
}

/** A workbench with the scripted server `any` behind HTTP. */
export async function connectRemote(era: Era, settings: object = {}): Promise<RemoteSubject> {
  const calls = callLog();
  const remote = await overHttp(serverOf(era, '--log', calls.path), { sessions: true, answers: 'sse' });
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: { ...remote.entry, ...settings } }) });
  const use = async (tool: string, args?: object) => text(await agent.use('dev', 'any', tool, args));
  const sentFor = (tool: string) => remote.log().filter((request) => request.tool === tool);
  return { agent, remote, calls, use, sentFor };
}
