import type { Configuration } from '../config/read/configuration.js';
import { failureFrom, type RpcMessage, type RpcRequest } from '../jsonrpc/messages.js';
import { build } from '../platform/build.js';
import type { Computer } from '../platform/computer.js';
import { loadPart } from '../platform/load-part.js';
import { silentLog } from '../platform/log.js';
import { version } from '../platform/version.js';
import type { SessionLink } from '../session/link.js';
import { lostCall } from '../session/lost-calls.js';
import { ownMethods, ownProblem } from '../session/own-requests.js';
import { localUser } from '../session/principal.js';
import type { AgentOutput } from '../session/transport.js';
import { attachToRunning } from './host/front/attach.js';
import { createHostLink, type LinkEnd } from './host/front/host-link.js';
import { reasonAgainst } from './host/front/reason-against.js';
import { sentEnvironment } from './host/front/sent-environment.js';

interface Wanted {
  readonly configuration: Configuration;
  readonly computer: Computer;
  /** The value of `--host-name`. */
  readonly hostName: string | undefined;
  /** What servers list is not compared with the lock, nor added to it. */
  readonly isReview: boolean;
}

/**
 * The link of a command: to the host if one runs, so that no server that runs already is started again, else to an engine of this
 * process, which ends with the link.
 */
export async function openCommandLink(wanted: Wanted, output: AgentOutput): Promise<SessionLink> {
  const id = `${process.pid}-${Date.now().toString(36)}`;
  return (await hostLink(id, wanted, output)) ?? ownLink(id, wanted, output);
}

async function hostLink(id: string, wanted: Wanted, output: AgentOutput): Promise<SessionLink | undefined> {
  const { configuration, computer, hostName, isReview } = wanted;
  const { env, platform, cwd, home } = computer;
  if (reasonAgainst({ env, platform, versions: process.versions }, configuration) !== undefined) return undefined;
  const editOf = (edited: Configuration) => ({
    env: sentEnvironment(env, platform, edited.source?.text),
    config: edited.source ?? null,
  });
  const facts = {
    session: id,
    version,
    build,
    pid: process.pid,
    cwd,
    home,
    isFrozen: false,
    isCommand: true,
    isReview,
  };
  const attachment = await attachToRunning({ ...facts, note: null, ...editOf(configuration) }, hostName);
  if (attachment === undefined) return undefined;
  // Nothing that was lost is tried again: the command fails with it.
  let isLost = false;
  const lost = ({ sent, held }: LinkEnd) => {
    isLost = true;
    for (const { request } of [...sent, ...held]) output.send(lostAnswer(request));
  };
  const link = createHostLink(attachment, output, { attempt: 1, log: silentLog, lost, logged() {}, editOf });
  return {
    ...link,
    start(request, caller, line) {
      if (isLost) output.send(lostAnswer(request));
      else link.start(request, caller, line);
    },
  };
}

function lostAnswer({ id, method, params = {} }: RpcRequest): RpcMessage {
  return failureFrom(
    id,
    ownProblem(lostCall(method === ownMethods.use ? { name: 'use_tool', arguments: params } : {})),
  );
}

async function ownLink(
  id: string,
  { configuration, computer, isReview }: Wanted,
  output: AgentOutput,
): Promise<SessionLink> {
  const { startEngine, assemble } = await loadPart(() => import('../compose.js'));
  // A server that fails is reported by the command.
  const engine = startEngine(computer, silentLog, { keepsFiles: true, isCommand: true });
  const config = await configuration.load(assemble);
  const link = engine.openLink(config, output, { id, principal: localUser, isCommand: true, isReview });
  return { ...link, close: async () => void (await engine.close()) };
}
