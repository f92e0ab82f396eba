import { expect, test } from 'vitest';
import { FakeServer, serverConfig } from '../../../test/support/fake-port.js';
import { realTools } from '../../../test/support/real-tools.js';
import type { NamedValue } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';
import { createMask } from './mask.js';
import { maskListing } from './masked-listing.js';
import { secretValues } from './secret-values.js';

const { signal } = new AbortController();

/** What a server with these values and arguments lists, if it lists these tools. */
async function listed(
  values: Record<string, string>,
  args: readonly string[],
  tools: readonly Tool[],
  instructions = '',
) {
  const secrets: NamedValue[] = Object.entries(values).map(([name, value]) => ({ name, value }));
  const target = { kind: 'stdio', command: 'x', args, env: new Map(), cwd: undefined } as const;
  const server = new FakeServer();
  server.tools = [...tools];
  server.instructions = instructions;
  server.about = instructions;
  const downstream = await server.connect(
    serverConfig(),
    { started: () => {}, ended: () => {}, toolsChanged: () => {}, moved: () => {} },
    signal,
    undefined,
  );
  const mask = createMask(secretValues({ secrets, target }));
  const masked = maskListing(downstream, mask);
  return { ...(await masked.listTools(signal)), instructions: masked.instructions, about: masked.about };
}

test('a real listing is not changed by an ordinary entry', async () => {
  const values = {
    GITHUB_TOOLSETS: 'repos,issues,pull_requests',
    NODE_ENV: 'production',
    LOG_LEVEL: 'information',
    AWS_REGION: 'us-east-1',
    TZ: 'America/New_York',
    PORT: '8080',
    API_VERSION: '2022-06-28',
    BASE_URL: 'https://api.example.com',
    GITHUB_TOKEN: 'ghp_1003canaryQmVb',
  };
  const args = [
    '-y',
    '@modelcontextprotocol/server-filesystem@latest',
    '/home/me',
    'mcp-server-fetch',
    'mcp/time:latest',
  ];
  const tools = Object.values(realTools).flat();
  const listing = await listed(values, [...args, '--local-timezone=Europe/Berlin', 'sequential-thinking'], tools);
  expect(listing.tools).toEqual(tools);
  expect(listing.omissions).toEqual({});
});

test('secrets are replaced in every text, with the keys of a schema', async () => {
  const tool = {
    name: 'read',
    title: 'with canary-0001',
    description: 'with canary-0001 and e\u0301',
    annotations: { title: 'canary-0001' },
    inputSchema: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'canary-0001', default: 'sk-9canaryT9x', enum: ['sk-9canaryT9x'] },
        'sk-9canaryT9x': { type: 'string' },
      },
    },
  } as const;
  const { tools, instructions, about } = await listed(
    { A: 'canary-0001', KEY: 'sk-9canaryT9x' },
    [],
    [tool],
    'is canary-0001',
  );
  expect(JSON.stringify([tools, instructions])).not.toContain('canary');
  expect(tools[0]).toMatchObject({ name: 'read', description: 'with *** and e\u0301' });
  expect(instructions).toBe('is ***');
  expect(about).toBe('is ***');
});

test('a word in a name or a schema stays, and a tool with a secret in its name is left out', async () => {
  const named = (name: string): Tool => ({
    name,
    inputSchema: { type: 'object', properties: { postgres: { enum: ['postgres'] } } },
  });
  const tools = [named('query_postgres'), named('use_sk-9canaryT9x')];
  const listing = await listed({ PASSWORD: 'postgres', KEY: 'sk-9canaryT9x' }, [], tools);
  expect(listing.tools).toEqual([tools[0]]);
  expect(listing.omissions).toEqual({ secret: 1 });
});
