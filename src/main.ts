#!/usr/bin/env node
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { help, parseCommand } from './cli/arguments.js';
import type { Engine } from './compose.js';
import type { Config } from './config/config.js';
import { readConfigFile } from './config/config-file.js';
import { embeddedConfig } from './config/embedded.js';
import { quickConfig } from './config/quick.js';
import { openDoor } from './front/lazy-session.js';
import { createStdioWire } from './front/stdio-wire.js';
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
  // What is worth a warning is told without waiting for a call, but not before the client's first questions are answered.
  setTimeout(load, warnAfterMs).unref();
  log.info(`configuration: ${overview.configFile ?? 'none found, serving the embedded default'}`);

  let engine: Promise<Engine> | undefined;
  let ending = false;
  const end = (code: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), closeLimitMs).unref();
    const closed = engine?.then((started) => started.close()).catch(() => {}) ?? Promise.resolve();
    void closed.finally(() => process.exit(code));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      end(1);
    });
  }
  const wire = createStdioWire(process.stdin, process.stdout, () => end(0));
  openDoor(
    overview,
    wire,
    async (introduction) => {
      engine = loadPart(() => import('./compose.js')).then(({ startEngine }) =>
        startEngine({ config: load(), ...surroundings(), wire, introduction, log }),
      );
      return engine;
    },
    log,
  );
}

function surroundings() {
  return { env: process.env, cwd: process.cwd(), platform: process.platform, home: homedir() };
}

async function findConfig(path: string | undefined): Promise<Configuration | undefined> {
  const place = surroundings();
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
