import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commands } from '../src/cli/frame/command-line/table.js';
import { clients as connectable } from '../src/clients/table/clients.js';
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
/** All other pages: 4,000. */
const mostWords: Readonly<Record<string, number>> = {
  'README.md': 1500,
  'docs/security.md': 3000,
  'docs/internals/ARCHITECTURE.md': 2500,
  'docs/internals/protocol.md': 2200,
};
const metaTools: ReadonlySet<string> = new Set(['open_toolbox', 'use_tool']);
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

test('what the comparison with other programs says of this one is true', () => {
  const [comparison = ''] = read('docs/compare.md').split('## Sources');
  const rows = Array.from(comparison.matchAll(/^\| *([^|]+?) *\| *([^|]+?) *\|/gm), ([, title = '', own = '']) => [
    title,
    own,
  ]);
  const own: Readonly<Record<string, string>> = Object.fromEntries(rows);
  const schema = read('schema/workbench-config.schema.json');
  const exists = (name: string) =>
    commands.some((command) => command.name === name) || schema.includes(`"${name}":`) || metaTools.has(name);
  const named = Object.values(own).flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name));
  expect(named.filter((name) => !exists(name))).toEqual([]);
  const { license, dependencies } = JSON.parse(read('package.json'));
  expect(own).toMatchObject({ licence: license, needs: dependencies === undefined ? 'Node.js' : 'packages' });
  expect(own['agents over HTTP']).toBe(commandHelps.some((text) => text.includes('--http')) ? 'yes' : 'no');
});

test.each(documents)('every link in %s leads to an existing file, and its anchor to a heading of it', (path) => {
  const text = withoutCode(read(path));
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g), ([, a, b]) => a ?? b ?? '');
  const inside = links.filter((link) => !/^(https?|mailto):/.test(link));
  expect(inside.filter((link) => !leadsSomewhere(link, path))).toEqual([]);
});

test('every page of the docs that code, a message or a comment names exists, and so does its anchor', () => {
  const sources = ['src', 'scripts', 'bench', 'test', '.github'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs|cjs|yml|md)$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  );
  const named = ['package.json', 'knip.json', ...sources].flatMap((path) =>
    Array.from(read(path).matchAll(/(?<![\w./-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g), ([page]) => ({ path, page })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !leadsSomewhere(page, 'README.md'))).toEqual([]);
});

test.each(documents)('no line of prose in %s has more than 120 characters', (path) => {
  const lines = proseLines(read(path)).filter((line) => line.length > 120);
  // One word, such as a link or a message in code, cannot be wrapped.
  expect(lines.filter((line) => /\s/.test(line.trim().replaceAll(/`[^`]*`/g, 'code')))).toEqual([]);
});

test.each(docs.concat('README.md'))('%s has no more words than its readers have time for', (path) => {
  expect(wordsIn(read(path))).toBeLessThanOrEqual(mostWords[path] ?? 4000);
});

test.each(documents)('no table in %s is padded', (path) => {
  const rows = withoutBlocks(read(path))
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(rows.filter((row) => / {2}|----/.test(row.replaceAll(/`[^`]*`/g, 'code')))).toEqual([]);
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

test('SECURITY.md links to every test file with the tag hostile', () => {
  const linked = read('SECURITY.md');
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => `test/${name.replaceAll('\\', '/')}`);
  const hostile = tests.filter((path) => read(path).startsWith('// @module-tag hostile\n'));
  expect(hostile.length).toBeGreaterThan(20);
  expect(hostile.filter((path) => !linked.includes(`(${path})`))).toEqual([]);
});

describe('docs/internals/errors.md', () => {
  const rows = tableRows(section(read('docs/internals/errors.md'), 'codes'));

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
    const quoted = Array.from(
      read('docs/internals/errors.md').matchAll(/`(Internal error[^`]*)`/g),
      ([, text]) => text,
    );
    expect(result.value()['content']).toEqual(quoted.map((text) => ({ type: 'text', text })));
  });
});

test('docs/cli.md has the exit codes of --help', () => {
  const [, listed = ''] = /^Exit codes:\n((?: {2}\d.*\n)+)/m.exec(help) ?? [];
  const [, part = ''] = read('docs/cli.md').split('## Exit codes');
  const [table = ''] = part.split('\n## ');
  const documented = tableRows(table).map(([code = '', meaning = '']) => `${code} ${meaning.split(/[;:]/)[0]}`);
  expect(documented).toEqual(
    listed
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/ +/, ' ')),
  );
});

test('every limit has its reason as a comment', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === 'limits.ts')
    .map((name) => `src/${name}`);
  const without = files.flatMap((file) =>
    Array.from(read(file).matchAll(/^(.*)\nexport const (\w+)/gm), ([, before = '', name]) =>
      before.startsWith('/** ') ? [] : [`${file}: ${name}`],
    ),
  );
  expect(without.length).toBeGreaterThan(100);
  expect(without.flat()).toEqual([]);
});

describe('docs/internals/protocol.md', () => {
  test('has the table of what is forwarded between agents and servers of both eras', () => {
    const table = section(read('docs/internals/protocol.md'), 'facts').trim();
    const head = combinations.map(({ agent, server }) => ` ${agent} agent, ${server} server |`);
    expect(table.split('\n')[0]).toBe(`| |${head.join('')}`);
    expect(tableRows(table)).toEqual(Object.entries(facts).map(([fact, cells]) => [fact, ...cells]));
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

  test('of client entries are there for every client that connect knows, and for two more', () => {
    const known = connectable.map(({ title }) => title);
    expect(clients.filter((client) => !known.includes(client))).toEqual(['Cline', 'Continue']);
    expect(known.filter((title) => !clients.includes(title))).toEqual([]);
  });

  test('of connect name every client in its help', () => {
    const { note } = commands.find(({ name }) => name === 'connect') ?? {};
    expect(note).toBe(`CLIENT: ${connectable.map(({ name }) => name).join(', ')}`);
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
      'docs/internals/errors.md',
      'docs/remote.md',
      'docs/security.md',
      'docs/cli.md',
      'CHANGELOG.md',
    ]
      .map(read)
      .join('\n')
      // Not our own command.
      .replaceAll(/`(?:copilot|code) [^`]*`/g, '');
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

/** Whether a link in the document `path` leads to a file, and to a heading of it if it has an anchor. */
function leadsSomewhere(link: string, path: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : posix.join(posix.dirname(path), file);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(target).has(anchor));
}

/** The anchors that GitHub makes of the headings of a document. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(read(path)).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let copies = 0;
    while (anchors.has(copies === 0 ? anchor : `${anchor}-${copies}`)) copies++;
    anchors.add(copies === 0 ? anchor : `${anchor}-${copies}`);
  }
  return anchors;
}

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
  return withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '');
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```.*?^\1```$/gms, '');
}

/** Neither code blocks, tables nor HTML. */
function proseLines(text: string): string[] {
  return withoutBlocks(text)
    .split('\n')
    .filter((line) => !/^\s*[|<]/.test(line));
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
