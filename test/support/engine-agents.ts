import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Engine, ServedSession, SessionOptions } from '../../src/compose.js';
import { overviewOf } from '../../src/config/overview.js';
import { parseConfig } from '../../src/config/read/parse.js';
import type { RpcMessage } from '../../src/jsonrpc/messages.js';
import { silentLog } from '../../src/platform/log.js';
import { createStdioWire } from '../../src/serve/stdio/stdio-wire.js';
import { introductionOf } from '../../src/session/introduction/static-answers.js';
import { openSession } from '../../src/session/session.js';
import { until } from './until.js';
import type { Message } from './workbench.js';

/** An agent on an engine in this process, over pipes of its own. */
export interface EngineAgent {
  request(id: number, method: string, params: object): Promise<Message>;
  send(message: object): void;
  readonly received: readonly Message[];
  readonly served: ServedSession;
  /** Reads from now on, if it did not. */
  read(): void;
  /** Called with every message that it receives. */
  onmessage: (message: Message) => void;
  leave(): Promise<void>;
}

/** Opens a session with the configuration of a file. `reads`: whether it reads what is sent to it. */
export function connectAgent(
  engine: Engine,
  configPath: string,
  { reads = true, ...options }: SessionOptions & { readonly reads?: boolean } = {},
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
  const wire = createStdioWire(input, output, () => {});
  const send = (message: RpcMessage) => wire.send(message);
  const served = engine.openSession(config, wire, options);
  const session = openSession(introductionOf(overviewOf(config)), send, served.calls, silentLog);
  wire.onmessage = (message) => session.receive(message);
  wire.onclose = () => session.close();
  wire.start();
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
