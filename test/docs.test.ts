import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commands } from '../src/cli/frame/command-line/table.js';
import { parseConfig } from '../src/config/read/load.js';
import { errorCodes } from '../src/contract/error-codes.js';
import { isRecord } from '../src/jsonrpc/json.js';
import { silentLog } from '../src/platform/log.js';
import type { ToolResult } from '../src/results/tool-result.js';
import { answer } from '../src/session/meta-tools/answers.js';
import { blocks, clientBlocks } from './support/client-entries.js';
import { errorExamples } from './support/error-examples.js';
import { combinations, facts } from './support/forwarding.js';

// Keeps the docs true, as far as a test can check.
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`);
const documents = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CLAUDE.md', ...docs];
const helpOf = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [join(root, 'dist', 'main.js'), ...args, '--help'])).stdout;
const help = await helpOf();
const clients = [...new Set(clientBlocks.map(({ client }) => client))];
const parsers: Readonly<Record<string, (code: string) => unknown>> = {
  json: JSON.parse,
  jsonc: parseCommented,
  toml: parseToml,
  yaml: parseYaml,
};
const commandHelps = await Promise.all(commands.map(({ name }) => helpOf(name)));

test('docs and messages name only commands that exist', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name}`);
  const names = new Set(commands.map(({ name }) => name));
  const unknown = [...documents, ...sources].flatMap((path) =>
    Array.from(read(path).matchAll(/(?<!the folder)[`'"\s]mcp-workbench ([a-z]+)/g), ([, name = '']) => name)
      .filter((name) => !names.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test.each(documents)('every link to a file in %s leads to an existing file', (path) => {
  const targets = Array.from(withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  const files = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''));
  expect(files.filter((file) => !existsSync(join(root, dirname(path), file)))).toEqual([]);
});

test.each(documents)('every npm script and file of the repository that %s names exists', (path) => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
  const named = Array.from(read(path).matchAll(/npm run ([\w:-]+)/g), ([, script = '']) => script);
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  const files = Array.from(
    read(path).matchAll(/(?<![\w./-])(?:src|test|scripts|examples|schema)\/[\w./-]*\w/g),
    ([file]) => file,
  );
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('SECURITY.md links to every test of an attack', () => {
  const linked = read('SECURITY.md');
  const tests = readdirSync(join(root, 'test', 'attacks')).filter((name) => name.endsWith('.test.ts'));
  expect(tests.filter((name) => !linked.includes(`(test/attacks/${name})`))).toEqual([]);
});

describe('docs/errors.md', () => {
  const rows = tableRows(section(read('docs/errors.md'), 'codes'));

  test('has every code once, in the order of the source, with its meaning', () => {
    expect(rows.map(([code, meaning]) => [unquoted(code), meaning])).toEqual(Object.entries(errorCodes));
  });

  test('has advice for every code', () => {
    expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
  });

  test('quotes what the agent reads', async () => {
    const quoted = rows.filter(([, , example]) => example?.startsWith('`'));
    expect(Object.fromEntries(quoted.map(([code, , example]) => [unquoted(code), unquoted(example)]))).toEqual(
      await errorExamples(),
    );
  });

  test('quotes what the agent reads after an unexpected error', async () => {
    const result = await answer(silentLog, Promise.reject<ToolResult>(new TypeError('unexpected')));
    const quoted = Array.from(read('docs/errors.md').matchAll(/`(Internal error[^`]*)`/g), ([, text]) => text);
    expect(result.value()['content']).toEqual(quoted.map((text) => ({ type: 'text', text })));
  });

  test('has the exit codes of --help', () => {
    const [, listed = ''] = /^Exit codes:\n((?: {2}\d.*\n)+)/m.exec(help) ?? [];
    const [, part = ''] = read('docs/errors.md').split('## Exit codes');
    const documented = tableRows(part).map(([code = '', meaning = '']) => `${code} ${meaning.split(/[;:]/)[0]}`);
    expect(documented).toEqual(
      listed
        .trim()
        .split('\n')
        .map((line) => line.trim().replace(/ +/, ' ')),
    );
  });
});

describe('docs/protocol.md', () => {
  test('has the table of what is forwarded between agents and servers of both eras', () => {
    const head = combinations.map(({ agent, server }) => `${agent} agent, ${server} server`);
    const rows = Object.entries(facts).map(([fact, cells]) => [fact, ...cells]);
    expect(section(read('docs/protocol.md'), 'facts').trim()).toBe(table([['', ...head], ...rows]));
  });

  test('has only rows that are tested in every combination', () => {
    const sources = readdirSync(join(root, 'test', 'forwarding')).map((name) => read(`test/forwarding/${name}`));
    const tested = sources.flatMap((code) => Array.from(code.matchAll(/^forwards\('([^']+)'/gm), ([, fact]) => fact));
    expect(new Set(tested)).toEqual(new Set(Object.keys(facts)));
  });

  test('fits on a page', () => {
    expect(read('docs/protocol.md').trimEnd().split('\n').length).toBeLessThan(120);
  });
});

describe('the examples', () => {
  test.each(['README.md', 'docs/config.md'])('of a configuration in %s are valid and give no warnings', (path) => {
    const configurations = jsonBlocks(read(path)).filter((code) => code.includes('"toolboxes"'));
    expect(configurations.length).toBeGreaterThan(0);
    for (const code of configurations) {
      const config = parseConfig(code, {
        path: '/home/ada/workbench-config.json',
        env: { TRACKER_TOKEN: 'any' },
        cwd: '/project',
        home: '/home/ada',
      });
      expect(config.warnings).toEqual([]);
      const servers = [...config.toolboxes.values()].flatMap(({ servers: all }) => [...all.values()]);
      expect(servers.filter(({ target }) => target.kind === 'broken')).toEqual([]);
    }
  });

  test.each(documents)('in %s are valid JSON, TOML or YAML', (path) => {
    for (const { language, code } of blocks(read(path))) {
      if (Object.hasOwn(parsers, language)) expect(() => parsers[language]?.(code), code).not.toThrow();
    }
  });

  test('of client entries start the command', () => {
    const { bin }: { bin: Record<string, string> } = JSON.parse(read('package.json'));
    const own = blocks(read('README.md')).filter(
      ({ code }) => code.includes('"mcpServers"') && !code.includes('"toolboxes"'),
    );
    const all = [...own, ...clients.map((client) => clientBlocks.find((block) => block.client === client))];
    for (const block of all) {
      const file = parsers[block?.language ?? '']?.(block?.code ?? '');
      const [command] = [entryIn(file)['command']].flat();
      expect(Object.keys(bin), block?.code).toContain(command);
    }
    expect(all.length).toBeGreaterThan(clients.length);
  });

  test('of client entries are there for every client that README.md names', () => {
    const rows = tableRows(read('README.md').split('## Install')[1]?.split('## ')[0] ?? '');
    expect(rows.flatMap(([names = '']) => names.split(', '))).toEqual(clients);
  });

  test('of client entries are checked with the versions that the check installs', () => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(read('test/clients/package.json'));
    const checked = Array.from(read('docs/clients.md').matchAll(/_Checked with ([\d.]+\d)/g), ([, version]) => version);
    expect(new Set(checked)).toEqual(new Set(Object.values(dependencies)));
  });
});

describe('--help', () => {
  test('names every option and variable of the docs', () => {
    const texts = [help, ...commandHelps].join('\n');
    const text = [
      'README.md',
      'docs/config.md',
      'docs/errors.md',
      'docs/remote.md',
      'docs/trust.md',
      'docs/cli.md',
      'CHANGELOG.md',
    ]
      .map(read)
      .join('\n')
      // Not our own command.
      .replaceAll(/`copilot [^`]*`/g, '');
    const named = new Set(Array.from(text.matchAll(/(?<![\w-])--[a-z][\w-]*|\bWORKBENCH_\w+/g), ([word]) => word));
    expect([...named].filter((word) => !texts.includes(word) && !Object.hasOwn(errorCodes, word))).toEqual([]);
    expect([...named]).toEqual(expect.arrayContaining(['--config', 'WORKBENCH_CONFIG']));
  });

  test('and the docs name the same locations of the configuration', () => {
    const documented = read('docs/config.md');
    const places = Array.from(help.matchAll(/\S*[/\\]workbench-config\.json/g), ([place]) => place);
    expect(places.length).toBeGreaterThanOrEqual(3);
    expect(places.filter((place) => !documented.includes(place.replace('./', '')))).toEqual([]);
  });
});

/** The part between `<!-- name -->` and `<!-- end -->`. */
function section(text: string, name: string): string {
  const [, after = ''] = text.split(`<!-- ${name} -->`);
  return after.split('<!-- end -->')[0] ?? '';
}

/** The cells of a Markdown table, without its head. */
function tableRows(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** A Markdown table with aligned columns. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill: string) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head, ' '), line([], '-'), ...body.map((row) => line(row, ' '))].join('\n');
}

function unquoted(cell = ''): string {
  return cell.replaceAll(/^`|`$/g, '');
}

/** The contents of the fenced blocks in JSON, with comments or without. */
function jsonBlocks(text: string): string[] {
  return blocks(text)
    .filter(({ language }) => /^jsonc?$/.test(language))
    .map(({ code }) => code);
}

/** The one server entry in the file of a client, whatever its key. */
function entryIn(file: unknown): Record<string, unknown> {
  const found = Object.values(isRecord(file) ? file : {}).find((value) => typeof value === 'object');
  const [entry] = Object.values(found ?? {});
  return isRecord(entry) ? entry : {};
}

function parseCommented(code: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(code, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new SyntaxError(`${errors.length} errors`);
  return value;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
