import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Engine, EngineLink, LinkOptions } from '../../src/compose.js';
import { overviewOf } from '../../src/config/overview.js';
import { parseConfig } from '../../src/config/read/parse.js';
import type { RpcMessage } from '../../src/jsonrpc/messages.js';
import { silentLog } from '../../src/platform/log.js';
import { createStdioTransport } from '../../src/serve/stdio/stdio-transport.js';
import { createConversation } from '../../src/session/conversation.js';
import { introductionOf } from '../../src/session/introduction/static-answers.js';
import { localUser } from '../../src/session/principal.js';
import { until } from './until.js';
import type { Message } from './workbench.js';

/** An agent on an engine in this process, over pipes of its own. */
export interface EngineAgent {
  request(id: number, method: string, params: object): Promise<Message>;
  send(message: object): void;
  readonly received: readonly Message[];
  readonly served: EngineLink;
  /** Reads from now on, if it did not. */
  read(): void;
  /** Called with every message that it receives. */
  onmessage: (message: Message) => void;
  leave(): Promise<void>;
}

const opened = new WeakMap<Engine, number>();

function nextId(engine: Engine): string {
  const count = (opened.get(engine) ?? 0) + 1;
  opened.set(engine, count);
  return `session-${count}`;
}

/** Opens a session with the configuration of a file. `reads`: whether it reads what is sent to it. */
export function connectAgent(
  engine: Engine,
  configPath: string,
  { reads = true, ...options }: Partial<LinkOptions> & { readonly reads?: boolean } = {},
): EngineAgent {
  const { env = {}, cwd = '/project', home = '/' } = options.computer ?? {};
  const config = parseConfig(readFileSync(configPath, 'utf8'), { path: configPath, env, cwd, home });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: Message[] = [];
  function read(): void {
    createInterface({ input: output }).on('line', (line) => {
      const message: Message = JSON.parse(line);
      received.push(message);
      agent.onmessage(message);
    });
  }
  if (reads) read();
  const transport = createStdioTransport(input, output);
  const send = (message: RpcMessage) => transport.send(message);
  const served = engine.openLink(config, transport, { id: nextId(engine), principal: localUser, ...options });
  const session = createConversation(introductionOf(overviewOf(config)), send, served, silentLog);
  transport.onmessage = (message) => session.receive(message);
  transport.onclose = () => void served.close();
  transport.start();
  const write = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const agent: EngineAgent = {
    received,
    served,
    send: write,
    read,
    onmessage: () => {},
    request(id, method, params) {
      write({ id, method, params });
      return until(() => received.find((message) => message.id === id && message.method === undefined));
    },
    async leave() {
      input.end();
      await served.close();
    },
  };
  return agent;
}
