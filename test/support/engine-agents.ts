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
import { fitResults } from '../../src/session/fit-results.js';
import { introductionOf } from '../../src/session/introduction/static-answers.js';
import { localUser } from '../../src/session/principal.js';
import { answerInTime } from '../../src/session/tickets/answer-in-time.js';
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

interface AgentOptions {
  /** Whether it reads what is sent to it. */
  readonly reads?: boolean;
  /** The setting `resultBudgetChars`. */
  readonly budget?: number | undefined;
  /** The setting `answerWithinMs`. */
  readonly answerWithinMs?: number | undefined;
}

/** Opens a session with the configuration of a file. */
export function connectAgent(
  engine: Engine,
  configPath: string,
  { reads = true, budget, answerWithinMs, ...options }: Partial<LinkOptions> & AgentOptions = {},
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
  const fitted = fitResults(transport, {
    budget: () => budget,
    computer: () => options.computer,
    log: silentLog,
  });
  const fitting = answerInTime(fitted, { limitMs: () => answerWithinMs, log: silentLog });
  const send = (message: RpcMessage) => fitting.output.send(message);
  const served = engine.openLink(config, fitting.output, { id: nextId(engine), principal: localUser, ...options });
  const session = createConversation(introductionOf(overviewOf(config)), send, fitting.around(served), silentLog);
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
      await Promise.all([served.close(), fitting.close()]);
    },
  };
  return agent;
}
