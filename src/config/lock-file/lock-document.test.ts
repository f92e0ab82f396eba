import { expect, test } from 'vitest';
import { parseLock } from './lock-document.js';
import { printLock } from './print-lock.js';

test.each([
  ['nothing', []],
  [
    'servers in another order, with and without tools and instructions',
    [
      { toolbox: 'b', server: 'a "]', tools: [] },
      {
        toolbox: 'a',
        server: 'x',
        package: { name: '@x/y', version: '1.0.0', integrity: 'sha512-x' },
        instructions: { sha256: '1', text: 'two\nlines []\n    }' },
        tools: [
          {
            sha256: '3',
            tool: { name: 'write', inputSchema: { type: 'object', properties: {} }, description: '$& []' },
          },
          { sha256: '2', tool: { name: 'read', title: '\n' } },
        ],
      },
    ],
  ],
])('the text is that of JSON with two spaces, in order, and reads as the same: %s', async (_, servers) => {
  const text = (await printLock({ servers })).join('');
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
  const read = parseLock(Buffer.from(text), true);
  expect(read).toEqual({
    servers: servers
      .toSorted((one, other) => (one.toolbox < other.toolbox ? -1 : 1))
      .map((server) => ({ ...server, tools: server.tools.toReversed() })),
  });
});

test.each([
  [{ name: '@x/y' }],
  ['@x/y'],
  [{ name: '@x/y', version: '1.0.0', integrity: 5 }],
  [{ name: '@x/y', version: 'npm:other@1.0.0' }],
  [{ name: '@x/y', version: 'https://example.org/x.tgz' }],
  [{ name: '@x/y', version: 'latest' }],
  [{ name: '../y', version: '1.0.0' }],
  [{ name: '-c', version: '1.0.0' }],
])('a server with the package %j is damaged', (from) => {
  const servers = [{ server: ['a', 'b'], package: from, tools: [] }];
  expect(parseLock(Buffer.from(JSON.stringify({ version: 1, servers })), true)).toEqual({ problem: 'it is damaged' });
});
