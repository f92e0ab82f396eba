import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CorpusSecret, corpusSecrets } from '../../../../test/corpus/secrets.js';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { readClientFile, serversIn } from '../../../clients/files/client-file.js';
import { clientOf } from '../../../clients/table/clients.js';
import { describeEntry, maskedText } from './masked-entry.js';

const computer = { env: {}, cwd: '/work', platform: 'linux', home: '/home/me' };
const ours = { command: 'node', args: ['/home/me/My Work/a1b2c3d4e5/main.js', '--config', '/x y/swordfish.json'] };

/** The lines of a preview, and the diff, for a client with these servers. */
function shownOf(servers: Readonly<Record<string, object>>): { lines: Record<string, string>; text: string } {
  const client = clientOf('cursor');
  if (client === undefined) throw new Error('no such client');
  const name = path.join(temporaryDirectory(), 'mcp.json');
  writeFileSync(name, JSON.stringify({ mcpServers: servers }, undefined, 2));
  const file = readClientFile(client, name);
  const shown = { client, file, entry: ours, computer };
  const lines = serversIn(client, file).map((entry) => [entry.name, describeEntry(entry, shown)]);
  return { lines: Object.fromEntries(lines), text: maskedText(shown) };
}

test('a preview shows paths with spaces, existing or not, and the words of scripts', () => {
  const { lines, text } = shownOf({
    app: { command: '/Applications/My App.app/Contents/MacOS/server', args: ['--stdio'] },
    script: { command: 'bash', args: ['-lc', 'cd /x/code && node missing-server.js'] },
    unset: { command: 'node', args: ['/opt/My Servers/a.js', '${UNSET_HERE}'], cwd: 7 },
  });
  expect(lines).toEqual({
    app: "'/Applications/My App.app/Contents/MacOS/server' --stdio",
    script: "bash -lc 'cd /x/code && node missing-server.js'",
    unset: "node '/opt/My Servers/a.js' '•••'",
  });
  expect(text).toContain('"/Applications/My App.app/Contents/MacOS/server"');
  expect(text).toContain('"cd /x/code && node missing-server.js"');
});

test('the entry that we write is shown whole, also where others have its words as secrets', () => {
  const { lines, text } = shownOf({ workbench: ours, other: { command: 'x', env: { PASSWORD: 'swordfish' } } });
  expect(lines).toEqual({
    workbench: "node '/home/me/My Work/a1b2c3d4e5/main.js' --config '/x y/swordfish.json'",
    other: 'x env PASSWORD=•••',
  });
  expect(text).toContain('"/x y/swordfish.json"');
});

const places: readonly [string, (secret: CorpusSecret) => object][] = [
  ['its command', ({ value }) => ({ command: `/bin/run ${value}` })],
  ['a command line', ({ value }) => ({ command: `docker run ${value}` })],
  ['an argument', ({ value }) => ({ command: 'x', args: [value, `--value=${value}`] })],
  ['a script', ({ value }) => ({ command: 'sh', args: ['-c', `run "${value}"; exit`] })],
  ['a variable', ({ value }) => ({ command: 'x', env: { ANY: value } })],
  ['a URL', ({ value }) => ({ url: `https://a.test/mcp?v=${encodeURIComponent(value)}` })],
  ['an entry that cannot be read', ({ value }) => ({ command: 'x', args: [value], cwd: 7 })],
];

describe('a preview', () => {
  test.each(places)('does not show a secret of a known form in %s', (_, entryOf) => {
    const secrets = corpusSecrets.filter(({ by }) => by === 'form');
    const { lines, text } = shownOf(Object.fromEntries(secrets.map((one, index) => [`s${index}`, entryOf(one)])));
    const shown = [...Object.values(lines), text].join('\n');
    expect(secrets.filter(({ core }) => shown.includes(core))).toEqual([]);
  });
});
