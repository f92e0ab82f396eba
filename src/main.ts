#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { help, parseCommand } from './cli/arguments.js';
import type { Engine } from './compose.js';
import type { Config } from './config/config.js';
import { readConfigFile } from './config/config-file.js';
import { embeddedConfig } from './config/embedded.js';
import { quickConfig } from './config/quick.js';
import { type Calls, createLazyCalls } from './front/lazy-calls.js';
import { openSession } from './front/session.js';
import { createStdioWire } from './front/stdio-wire.js';
import type { RpcMessage } from './jsonrpc/messages.js';
import { thisComputer } from './platform/computer.js';
import { loadPart } from './platform/load-part.js';
import { createLog } from './platform/log.js';
import { version } from './platform/version.js';
import { overviewOf } from './workbench/overview.js';
import type { Overview } from './workbench/toolbox.js';

const closeLimitMs = 8_000;
const warnAfterMs = 500;
const log = createLog((line) => process.stderr.write(line));

async function main(): Promise<void> {
  // A client may close our stderr; a log that nobody reads is no reason to end.
  process.stderr.on('error', () => {});
  const command = parseCommand(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'version':
      process.stdout.write(`${version}\n`);
      return;
    case 'misused':
      process.stderr.write(`mcp-workbench: ${command.problem}\nSee mcp-workbench --help\n`);
      process.exitCode = 2;
      return;
    case 'serve': {
      const configuration = await findConfig(command.config);
      if (configuration !== undefined) serveAgent(configuration);
    }
  }
}

/** What is known of a configuration before anything in it is needed. */
interface Configuration {
  readonly overview: Overview;
  readonly load: () => Config;
}

function serveAgent({ overview, load }: Configuration): void {
  // Warnings need no call, but they must not delay the responses to the client's first requests.
  setTimeout(load, warnAfterMs).unref();
  log.info(`configuration: ${overview.configFile ?? 'none found, serving the embedded default'}`);

  let engine: Promise<Engine> | undefined;
  const end = createEnding(() => engine);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      end(1);
    });
  }
  // The agent on stdio is the only one of this process, so the process ends with it.
  const wire = createStdioWire(process.stdin, process.stdout, () => end(0));
  const send = (message: RpcMessage) => wire.send(message);
  async function loadCalls(): Promise<Calls> {
    engine = loadPart(() => import('./compose.js')).then(({ startEngine }) =>
      startEngine(thisComputer(process.env), log, { keepsFiles: true }),
    );
    return (await engine).openSession(load(), send).calls;
  }
  const session = openSession(overview, send, createLazyCalls(loadCalls, send, log), log);
  wire.onmessage = (message) => session.take(message);
  wire.onerror = (error) => log.warn(`agent: ${error.message}`);
  wire.onclose = () => session.close();
  wire.start();
}

/** Ends all servers, then the process. */
function createEnding(engine: () => Promise<Engine> | undefined): (code: number) => void {
  let isEnding = false;
  // `process.exit` waits for file operations, and one on a disk that does not answer never ends.
  const kill = () => process.kill(process.pid, 'SIGKILL');
  return (code) => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(kill, closeLimitMs).unref();
    const closed =
      engine()
        ?.then((started) => started.close())
        .catch(() => true) ?? Promise.resolve(true);
    void closed.then((isWritten) => (isWritten ? process.exit(code) : kill()));
  };
}

async function findConfig(path: string | undefined): Promise<Configuration | undefined> {
  const place = thisComputer(process.env);
  try {
    const file = readConfigFile({ ...place, ...(path !== undefined && { path }) });
    if (file === undefined) {
      const script = fileURLToPath(new URL('./getting-started.js', import.meta.url));
      return loaded(embeddedConfig(script, process.execPath));
    }
    const options = { path: file.path, env: place.env, home: place.home };
    const quick = quickConfig(file.text, options);
    if (quick !== undefined) {
      let config: Config | undefined;
      const load = () => (config ??= told(quick.config()));
      return { overview: { configFile: file.path, toolboxes: quick.toolboxes }, load };
    }
    const { parseConfig } = await loadPart(() => import('./config/parse.js'));
    return loaded(told(parseConfig(file.text, options)));
  } catch (error) {
    // By its name: the class is another one in another part of the program.
    if (!(error instanceof Error) || error.name !== 'WorkbenchError') throw error;
    process.stderr.write(`mcp-workbench: ${error.message}\n`);
    process.exitCode = 3;
    return undefined;
  }
}

function loaded(config: Config): Configuration {
  return { overview: overviewOf(config), load: () => config };
}

function told(config: Config): Config {
  for (const warning of config.warnings) log.warn(warning);
  return config;
}

await main();
