import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { assemble, type Engine, startEngine } from '../../src/compose.js';
import { findConfiguration } from '../../src/config/read/configuration.js';
import type { Computer } from '../../src/platform/computer.js';
import { createLog, silentLog } from '../../src/platform/log.js';
import { createStdioTransport } from '../../src/serve/stdio/stdio-transport.js';
import { createLiveConfiguration } from '../../src/session/configuration/live-configuration.js';
import { fitResults } from '../../src/session/fit-results.js';
import { localUser } from '../../src/session/principal.js';
import { createSession } from '../../src/session/session.js';
import { type Agent, connectOver, type Flavour, type User } from './agents.js';
import { areAllAlone } from './hosts.js';
import { type LaunchOptions, preparePlace, stopWhenTestFinishes } from './launch.js';
import { overPipes, type RunningWorkbench } from './workbench.js';

/** What a session in this process can be started with: the rest is about processes. Of `args` only `--config` with a path. */
type InProcessOptions = Pick<LaunchOptions, 'config' | 'configText' | 'args' | 'env' | 'cwd'>;

/**
 * A session whose pipes are streams of this process, on an engine in this process: what session and host do with messages, without their
 * processes. The servers are processes. It follows no edits of its file.
 */
interface PipedSession {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly marker: string;
  readonly dir: string;
  readonly stderr: () => string;
  /** The session has closed, and so have the servers that no other session uses. */
  readonly closed: Promise<void>;
}

let ofThisTest: Engine | undefined;
let sessions = 0;

/** One for all sessions of a test, as they would share a host. */
function engineOfTest(computer: Computer): Engine {
  if (ofThisTest === undefined) {
    ofThisTest = startEngine(computer, silentLog, {
      keepsFiles: true,
      sharesServers: !areAllAlone,
      // The sockets are those of the program.
      publisher: () => ({ publish() {}, close() {} }),
    });
    onTestFinished(endEngine);
  }
  return ofThisTest;
}

/** Ends the engine of this test and its servers, and writes its files. The next session has another one. */
export async function endEngine(): Promise<void> {
  const engine = ofThisTest;
  ofThisTest = undefined;
  await engine?.close();
}

function startSession(options: InProcessOptions): PipedSession {
  const { marker, dir, home, path: written, env } = preparePlace(options);
  const path = written ?? configIn(options.args);
  const computer = { env, cwd: options.cwd ?? home, platform: process.platform, home: env['HOME'] ?? home };
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const transport = createStdioTransport(input, output);
  const id = `in-process-${++sessions}`;

  async function serve(): Promise<void> {
    const configuration = createLiveConfiguration(await findConfiguration(path, computer, log));
    const fitting = fitResults(transport, {
      budget: () => configuration.current.file?.resultBudgetChars,
      computer: () => computer,
      log,
    });
    const session = createSession(id, {
      principal: localUser,
      configuration,
      fitting,
      log,
      async open() {
        const engine = engineOfTest(computer);
        const config = await configuration.current.load(assemble);
        return engine.openLink(config, fitting.output, { id, principal: localUser, computer, log });
      },
    });
    transport.onmessage = (message, line) => session.receive(message, line);
    transport.onrefused = (request) => session.refuse(request);
    transport.onerror = (error) => log.warn(`agent: ${error.message}`);
    const agentIsGone = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    transport.start();
    await agentIsGone;
    await session.close();
    output.end();
  }

  const closed = serve();
  stopWhenTestFinishes(marker, async () => {
    input.end();
    await closed;
    await endEngine();
  });
  return { input, output, marker, dir, stderr: () => lines.join(''), closed };
}

function configIn(args: readonly string[] = []): string | undefined {
  const [option, path, ...rest] = args;
  if ((option !== undefined && option !== '--config') || rest.length > 0)
    throw new Error(`a session in this process has no arguments but --config: ${args.join(' ')}`);
  return path;
}

/** A real client, as `connectAgent` of agents.ts, of a session in this process. */
export async function connectAgent(flavour: Flavour, options: InProcessOptions, user?: User): Promise<Agent> {
  const { input, output, closed, marker, dir, stderr } = startSession(options);
  const transport: Parameters<typeof connectOver>[0] = {
    async start() {
      createInterface({ input: output }).on('line', (line) => transport.onmessage?.(JSON.parse(line)));
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      await closed;
      transport.onclose?.();
    },
  };
  return connectOver(transport, flavour, user, { pid: () => process.pid, marker, dir, stderr });
}

/** A session in this process on bare pipes, for input that no client would send. */
export function startWorkbench(options: InProcessOptions): RunningWorkbench {
  const { input, output, closed, marker, dir, stderr } = startSession(options);
  const exited = closed.then(() => ({ code: 0, signal: null }));
  const kill = () => {
    throw new Error('a session in this process cannot be killed');
  };
  return { ...overPipes(input, output), pid: process.pid, marker, dir, stderr, kill, exited };
}
