#!/usr/bin/env node
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { config as configureZod } from 'zod/mini';
import { help, parseCommand } from './cli/arguments.js';
import type { Config } from './config/config.js';
import { embeddedConfig } from './config/embedded.js';
import { loadConfigFile } from './config/load.js';
import { createConnector } from './downstream/connect.js';
import { cacheDirectoryOf, logDirectoryOf } from './downstream/directories.js';
import { createToolCacheFiles } from './downstream/tool-cache-files.js';
import { WorkbenchError } from './errors.js';
import { createLog } from './log.js';
import { openDoor } from './server/door.js';
import { createStdioWire } from './server/stdio-wire.js';
import { version } from './version.js';
import { createWorkbench } from './workbench/workbench.js';

const closeLimitMs = 8_000;
const log = createLog((line) => process.stderr.write(line));

function main(): void {
  // A client may close our stderr; a log that nobody reads is no reason to end.
  process.stderr.on('error', () => {});
  // Compiling validators costs more than it saves in a program whose inputs are this small.
  configureZod({ jitless: true });
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
    case 'serve':
      serveAgent(command.config);
  }
}

function serveAgent(path: string | undefined): void {
  const config = readConfig(path);
  if (config === undefined) return;
  for (const warning of config.warnings) log.warn(warning);
  const origin = config.source.kind === 'file' ? config.source.path : 'none found, serving the embedded default';
  log.info(`configuration: ${origin}`);

  const { env, platform } = process;
  const logDirectory = logDirectoryOf({ env, platform, home: homedir() });
  const cacheDirectory = cacheDirectoryOf({ env, platform, home: homedir() });
  const world = { env, cwd: process.cwd(), platform, logDirectory, cacheDirectory };
  const cache = createToolCacheFiles(join(cacheDirectory, 'tools'));
  const workbench = createWorkbench(config, createConnector(world, log), log, cache);
  let ending = false;
  const end = (code: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), closeLimitMs).unref();
    void workbench.close().finally(() => process.exit(code));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      end(1);
    });
  }
  openDoor(
    workbench,
    createStdioWire(process.stdin, process.stdout, () => end(0)),
    log,
  );
}

function readConfig(path: string | undefined): Config | undefined {
  const place = { env: process.env, cwd: process.cwd(), platform: process.platform, home: homedir() };
  try {
    const config = loadConfigFile({ ...place, ...(path !== undefined && { path }) });
    const script = fileURLToPath(new URL('./getting-started.js', import.meta.url));
    return config ?? embeddedConfig(script, process.execPath);
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    process.stderr.write(`mcp-workbench: ${error.message}\n`);
    process.exitCode = 3;
    return undefined;
  }
}

main();
