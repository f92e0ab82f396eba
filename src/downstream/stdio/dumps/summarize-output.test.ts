import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { growth, superlinear } from '../../../../test/support/growth.js';
import { longestQuotedOutput, maxSearchedLines } from '../../../limits.js';
import { summarizeOutput } from './summarize-output.js';

/** The dumps of one runtime, as it writes them, by name. */
function dumpsOf(runtime: string): Map<string, string[]> {
  const file = new URL(`../../../../test/fixtures/crash-dumps/${runtime}.txt`, import.meta.url);
  const sections = readFileSync(file, 'utf8').split(/^=== /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n');
      return [name, lines.filter((line) => line.trim() !== '')];
    }),
  );
}

const node = {
  'missing-module': "Cannot find module './missing.node' | Require stack: | - /srv/app/missing.js",
  'missing-package': "Cannot find package '@acme/mcp-server' imported from /srv/app/missing.mjs",
  'fetch-failed': 'TypeError: fetch failed | connect ECONNREFUSED 127.0.0.1:6379',
  'unhandled-event': 'connect ECONNREFUSED 127.0.0.1:5432',
  'thrown-string': 'GITHUB_TOKEN is not set',
  'long-message':
    'ConfigError: Invalid configuration: | - apiKey: Required | - region: Expected string, received number',
  'syntax-error': "SyntaxError: Unexpected token ';'",
  'missing-export': "SyntaxError: The requested module 'node:fs' does not provide an export named 'nothing'",
  'missing-file': "ENOENT: no such file or directory, open '/srv/app/config.json'",
};

const refused =
  'called `Result::unwrap()` on an `Err` value: Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }';

const expected: Record<string, Record<string, string>> = {
  'node-20': node,
  'node-22': node,
  'node-24': node,
  'python-3.11': {
    'missing-module': "ModuleNotFoundError: No module named 'mcp_server_missing'",
    'missing-variable': "KeyError: 'API_TOKEN'",
    'direct-cause':
      'RuntimeError: could not connect to the database | ConnectionRefusedError: [Errno 111] Connection refused',
    'during-handling': "ValueError: invalid literal for int() with base 10: 'eighty' | KeyError: 'port'",
    'exception-group': 'ValueError: bad region: mars',
    'syntax-error': "SyntaxError: '(' was never closed",
  },
  go: {
    panic: 'panic: dial tcp 127.0.0.1:6379: connect: connection refused',
    'nil-pointer': 'panic: runtime error: invalid memory address or nil pointer dereference',
    deadlock: 'fatal error: all goroutines are asleep - deadlock!',
    'panic-again': 'panic: rollback failed: database is locked',
  },
  'java-17': {
    'caused-by':
      'java.lang.IllegalStateException: could not start the server | java.net.ConnectException: Connection refused',
  },
  'dotnet-8': {
    'inner-exception':
      'System.InvalidOperationException: Could not start the server | System.Net.Sockets.SocketException (111): Connection refused',
    plain: "System.ArgumentNullException: Value cannot be null. (Parameter 'apiKey')",
  },
  rust: { panic: refused, backtrace: refused, 'before-1.73': 'GITHUB_TOKEN is not set' },
  others: {
    'node-without-stack': "ENOENT: no such file or directory, open '/srv/app/config.json'",
    bun: "Cannot find module './missing.node' from '/srv/app/missing.js'",
    ruby: '/srv/app/server.rb:4:in `fetch\': key not found: "API_TOKEN" (KeyError)',
    php: 'PHP Fatal error:  Uncaught RuntimeException: API key missing in /srv/app/server.php:3',
    npm: "npm error code E404 | npm error 404 Not Found - GET https://example.org/@acme%2fmcp-server - Not found | npm error 404 | npm error 404  '@acme/mcp-server@*' is not in this registry. | npm error 404 Note that you can also install from a | npm error 404 tarball, folder, http url, or git folder.",
    'npm-script':
      "Cannot find module '/srv/app/index.js' | > server@1.0.0 start | > node index.js | npm error Lifecycle script `start` failed with error: | npm error code 1",
    retries: '[ioredis] Unhandled error event: Error: connect ECONNREFUSED 127.0.0.1:6379 | Connecting to redis',
    usage:
      'Error: the option --token is required | Usage: acme-mcp [options] <directory> | --token TEXT   your token | --port NUMBER  default 80',
    'long-help':
      'Error: GITHUB_TOKEN is required | --option-5   sets option 5 | --option-6   sets option 6 | --option-7   sets option 7 | --option-8   sets option 8 | --option-9   sets option 9 | --option-10   sets option 10 | --option-11   sets option 11 | --option-12   sets option 12 | acme-mcp 1.0',
    'out-of-memory': 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    warnings: 'Please set GITHUB_TOKEN',
    'only-warnings': '(node:4711) ExperimentalWarning: SQLite is an experimental feature and might change at any time',
    log: 'starting | listening on stdio',
  },
};

describe.each(Object.keys(expected))('what %s writes', (runtime) => {
  test('is summarized by the cause, whatever was written before', () => {
    const dumps = dumpsOf(runtime);
    const summaries = Object.fromEntries([...dumps].map(([name, lines]) => [name, summarizeOutput(lines)]));
    expect(summaries).toEqual(expected[runtime]);
  });
});

test('the message stays when the beginning of its dump is no longer there', () => {
  for (const lines of dumpsOf('node-20').values()) {
    const message = lines.findIndex((line) => /^\w*Error\b/.test(line));
    if (message > 0)
      expect(summarizeOutput(lines.slice(message))).toContain(lines[message]?.replace(/^Error.*?: /, ''));
  }
});

test('of several dumps the last one counts', () => {
  const dumps = dumpsOf('node-20');
  const lines = [...(dumps.get('fetch-failed') ?? []), 'trying again', ...(dumps.get('missing-file') ?? [])];
  expect(summarizeOutput(lines)).toBe(`${node['missing-file']} | trying again`);
});

test('of lines without an error as many as fit are quoted, from the end', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `step ${index} ${'x'.repeat(100)}`);
  const summary = summarizeOutput(lines);
  expect(summary).toContain('step 59');
  expect(summary).not.toContain('step 56');
  expect(summarizeOutput(['y'.repeat(5_000)])).toHaveLength(longestQuotedOutput);
});

test('whatever a server writes becomes one line within the limit', () => {
  const pieces = [...dumpsOf('node-20').values(), ...dumpsOf('python-3.11').values(), ...dumpsOf('go').values()].flat();
  const line = fc.oneof(
    fc.constantFrom(...pieces),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: maxSearchedLines }), (lines) => {
      const summary = summarizeOutput(lines);
      expect(summary.length).toBeLessThanOrEqual(longestQuotedOutput);
      expect(summary).not.toContain('\n');
    }),
  );
});

test.each(['^', '~', ' ', '\t', '(', 'a.', '| ', '+-', 'Error: ', "thread ''", 'E', '#0 ', 'at '])(
  'lines of many %j take time in proportion to their length',
  (piece) => {
    const linesOf = (times: number) => Array.from({ length: maxSearchedLines }, () => piece.repeat(times));
    expect(growth(500, linesOf, summarizeOutput)).toBeLessThan(superlinear);
  },
);
