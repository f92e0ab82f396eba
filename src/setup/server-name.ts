import { commandLineOf } from '../clients/our-entry.js';
import { isRecord } from '../jsonrpc/json.js';

const runners =
  /^(?:npx|bunx|pnpx|uvx|pnpm|yarn|bun|npm|deno|uv|pipx|docker|podman|node|python3?|py|cmd)(?:\.(?:exe|cmd))?$/i;
/** Options whose value is not the package. */
const withValue =
  /^(?:-e|--env|-v|--volume|-p|--publish|--name|--mount|--network|--env-file|--from|--with|--directory)$/;
const runnerCommands = new Set(['run', 'dlx', 'exec', 'x', 'tool', '/c', 'npx', 'node']);

/** A name for a server that comes without one: that of its package, image, script or host. */
export function serverName(entry: unknown): string {
  const url = isRecord(entry) ? [entry['url'], entry['httpUrl'], entry['serverUrl']].find(isText) : undefined;
  const words = commandLineOf(entry);
  return (url === undefined ? nameOfProgram(words) : nameOfHost(url)) || 'server';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function nameOfHost(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  if (!/[a-z]/i.test(hostname)) return '';
  const labels = hostname.split('.');
  return labels.at(-2) ?? labels[0] ?? '';
}

function nameOfProgram([command = '', ...args]: readonly string[]): string {
  if (!runners.test(baseOf(command))) return plainName(baseOf(command));
  const word = args.find(
    (one, index) => !one.startsWith('-') && !withValue.test(args[index - 1] ?? '') && !runnerCommands.has(one),
  );
  return word === undefined ? plainName(baseOf(command)) : nameOfPackage(word);
}

/** `@scope/name@1.2`, `image:tag`, `./dist/index.js`. */
function nameOfPackage(word: string): string {
  const parts = word
    .replace(/(?<=.)(?:@|==|:)[\w.^~-]*$/, '')
    .split(/[/\\]/)
    .filter((part) => part !== '' && !/^\.{1,2}$/.test(part));
  const names = parts
    .map((part) => plainName(part))
    .filter((part) => !/^(?:|index|main|dist|build|src|server)$/.test(part));
  return names.at(-1) ?? '';
}

function baseOf(path: string): string {
  return /[^/\\]*$/.exec(path)?.[0] ?? '';
}

/** `mcp-server-git` and `git-mcp` → `git`. */
function plainName(word: string): string {
  return word
    .replace(/^@/, '')
    .replace(/\.(?:[cm]?js|ts|py|exe|cmd|sh)$/i, '')
    .replace(
      /^(?:mcp|server)$|^(?:mcp[-_]server[-_]|server[-_]|mcp[-_])|(?:[-_]mcp[-_]server|[-_]mcp|[-_]server)$/gi,
      '',
    );
}
