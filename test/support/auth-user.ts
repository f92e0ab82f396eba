import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { shellQuote } from '../../src/text/shell-quote.js';
import type { Authorization } from './authorization.js';
import { type Finished, type OnTerminal, runCommand, runOnTerminal } from './commands.js';
import { type TestConfig, writeConfig } from './configs.js';
import { temporaryDirectory } from './launch.js';
import { until } from './until.js';

const consenting = fileURLToPath(new URL('../fixtures/consenting-browser.mjs', import.meta.url));

/** The page that a browser ends on. */
export interface LastPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly [fact: string]: unknown;
}

/** A user with a home, a configuration and a browser. */
export interface AuthUser {
  readonly home: string;
  readonly config: string;
  /** For other programs of the same user. */
  readonly env: Readonly<Record<string, string>>;
  /** `mcp-workbench auth` with these words, without a terminal. */
  run(...words: string[]): Promise<Finished>;
  /** The same on a terminal without a display. */
  onTerminal(...words: string[]): OnTerminal;
  /** The same with a display, and a browser in which the user decides so. */
  withBrowser(decision: Decision, ...words: string[]): OnTerminal;
  /** What the browser was started with. */
  opened(): string[];
  /** The arguments of all processes while it was started. */
  seen(): string[];
  lastPage(): LastPage | undefined;
  /** Every file that the program has kept for the user, and its text. */
  stored(): ReadonlyMap<string, string>;
}

type Decision = 'allow' | 'deny' | 'close' | 'fail' | 'crash';

/** `browser`: the command that `xdg-open` runs. */
export function createAuthUser(config: TestConfig, browser = [process.execPath, consenting]): AuthUser {
  const dir = temporaryDirectory();
  const home = join(dir, 'home');
  const programs = join(dir, 'programs');
  for (const one of [home, programs]) mkdirSync(one);
  const file = writeConfig(dir, config);
  writeProgram(join(programs, 'xdg-open'), `exec ${browser.map(shellQuote).join(' ')} "$@"`);
  const log = join(dir, 'browser.jsonl');
  const env = { HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home };
  const commandLine = (words: readonly string[]) => ['auth', '--config', file, ...words];
  const noted = (): Record<string, unknown>[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];

  return {
    home,
    config: file,
    env,
    run: (...words) => runCommand(commandLine(words), { env }),
    onTerminal: (...words) => runOnTerminal(commandLine(words), { columns: 1_000, env }),
    withBrowser(decision, ...words) {
      const path = [programs, process.env['PATH']].join(delimiter);
      const display = { PATH: path, DISPLAY: ':0', BROWSER_DECISION: decision, BROWSER_LOG: log };
      return runOnTerminal(commandLine(words), { columns: 1_000, env: { ...env, ...display } });
    },
    opened: () => noted().flatMap(({ opened }) => (typeof opened === 'string' ? [opened] : [])),
    seen: () => noted().flatMap(({ seen }) => (Array.isArray(seen) ? seen.map(String) : [])),
    lastPage: () => noted().find((entry): entry is Record<string, unknown> & LastPage => 'status' in entry),
    stored: () => textsIn(home),
  };
}

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function textsIn(dir: string): ReadonlyMap<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

// Tokens and codes of the authorization server in tests begin so.
export const secretPattern = /(?:access|refresh|code)-[\w-]{20}/;

/** Whether anything secret is in the files of the user. */
export function holdsSecret(user: AuthUser): boolean {
  return [...user.stored().values()].some((text) => secretPattern.test(text));
}

/** The address that a command prints for the user to open, once it also waits for the redirect. */
export async function printedAddress(terminal: OnTerminal): Promise<string> {
  await until(() => linesOf(terminal).at(-1)?.startsWith('> '), { what: 'the prompt' });
  return linesOf(terminal).find((line) => /^http\S+authorize\?/.test(line)) ?? '';
}

/** A whole login: the user opens the address that is printed, consents and pastes the redirect. */
export async function logIn(server: Authorization, user: AuthUser, ...words: string[]): Promise<void> {
  const terminal = user.onTerminal(...words);
  terminal.type(`${await server.consent(await printedAddress(terminal))}\r`);
  const code = await terminal.exited;
  if (code !== 0) throw new Error(`the login ended with ${code}: ${terminal.screen()}`);
}

/** What a terminal shows, line by line, without colours and empty lines. */
export function linesOf(terminal: OnTerminal): string[] {
  const lines = terminal.screen().split(/\r?\n/);
  return lines.map((line) => stripVTControlCharacters(line)).filter((line) => line.trim() !== '');
}
