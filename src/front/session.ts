import { messageOf } from '../contract/errors.js';
import { failureFrom, isRequest, type RpcMessage } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import { project } from '../results/project.js';
import type { Overview } from '../workbench/toolbox.js';
import type { Workbench } from '../workbench/workbench.js';
import { createFullPath } from './full-path.js';
import { instructions } from './introduction/instructions.js';
import { metaTools } from './introduction/meta-tools.js';
import { type Introduction, isHandshake, type Session } from './lazy-session.js';
import { createHandlers, type Handlers } from './meta-tools/handlers.js';
import { createPlainPath } from './plain-path.js';
import { createUseTool } from './questions/use-tool.js';
import type { Served } from './sdk-server.js';
import type { AgentWire } from './stdio-wire.js';

/**
 * Serves a workbench to one agent. Nearly all messages are of a few usual shapes, and are served by the plain path; the
 * SDK, which takes longer to load than most servers to start, is there for everything else. Which of the two serves a
 * message is decided here and nowhere else.
 */
export function openSession(
  workbench: Workbench,
  wire: AgentWire,
  { opener, handshake }: Introduction,
  log: Log,
): Session {
  const handlers = createHandlers(workbench, createUseTool(workbench, log), log);
  const plain = createPlainPath(opener, handlers, (message) => wire.send(message));
  const full = createFullPath(() => servedBy(handlers, workbench.overview()), wire, log);
  for (const message of handshake) full.remember(message);
  wire.onclose = () => {
    plain.close();
    full.close();
  };

  function choose(message: RpcMessage): void {
    // Once the SDK serves, it is told of every introduction; one that comes again is its own to answer.
    const isHello = isHandshake(message);
    if (isHello && full.isOpen) {
      if (isRequest(message)) opener.forget();
      full.take(message);
    } else if (!plain.take(message)) full.take(message);
    else if (isHello) full.remember(message);
  }

  return {
    take(message) {
      try {
        choose(message);
      } catch (error) {
        log.error(`Internal error: ${messageOf(error)}`);
        if (isRequest(message)) wire.send(failureFrom(message.id, new Error('Internal error in the workbench')));
      }
    },
  };
}

/** The handlers in the form that the SDK serves. */
export function servedBy(handlers: Handlers, overview: Overview): Served {
  return {
    instructions: instructions(overview),
    tools: metaTools(overview),
    async callTool(params, request, revision) {
      return project(await handlers.callTool(params, request), revision).value();
    },
    readResource: (params, request) => handlers.readResource(params, request),
  };
}
