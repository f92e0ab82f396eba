import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';

const key = 'dummy-token-0123456789abcdef';

interface PublishedServer {
  readonly spec: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Packages that list their tools without a network or an account, with words and variables that make them start. */
const packages: readonly PublishedServer[] = [
  { spec: '@modelcontextprotocol/server-memory@2026.8.31' },
  { spec: '@modelcontextprotocol/server-filesystem@2026.8.31', args: ['.'] },
  { spec: '@modelcontextprotocol/server-everything@2026.8.31' },
  { spec: '@modelcontextprotocol/server-sequential-thinking@2026.8.31' },
  { spec: '@modelcontextprotocol/server-github@2025.4.8' },
  {
    spec: '@modelcontextprotocol/server-slack@2025.4.25',
    env: { SLACK_BOT_TOKEN: `xoxb-${key}`, SLACK_TEAM_ID: 'T0123' },
  },
  { spec: '@modelcontextprotocol/server-google-maps@0.6.2', env: { GOOGLE_MAPS_API_KEY: key } },
  { spec: '@modelcontextprotocol/server-brave-search@0.6.2', env: { BRAVE_API_KEY: key } },
  { spec: '@modelcontextprotocol/server-gitlab@2025.4.25', env: { GITLAB_PERSONAL_ACCESS_TOKEN: key } },
  { spec: '@modelcontextprotocol/server-postgres@0.6.2', args: ['postgresql://u:p@127.0.0.1:9/db'] },
  { spec: '@notionhq/notion-mcp-server@2.5.2' },
  { spec: '@upstash/context7-mcp@4.1.1' },
  { spec: 'firecrawl-mcp@3.22.2' },
  { spec: 'tavily-mcp@0.2.22' },
  { spec: '@perplexity-ai/mcp-server@1.2.1', env: { PERPLEXITY_API_KEY: key } },
  { spec: 'mcp-server-kubernetes@4.1.7' },
  { spec: '@cyanheads/git-mcp-server@2.15.3' },
  { spec: '@antv/mcp-server-chart@0.9.10' },
  { spec: 'mcp-ripgrep@0.4.0' },
  { spec: 'duckduckgo-mcp-server@0.1.2' },
];

const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
/** One cache of npm for all: the second way to start a server finds what the first has installed. */
const home = mkdtempSync(join(tmpdir(), 'mcp-workbench-packages-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a server lists, and what its first tool answers to a call without arguments. */
async function seen(
  { spec, args = [], env }: PublishedServer,
  settings: { readonly resolve?: boolean },
): Promise<{ listing: unknown; answer: string }> {
  const variables = { npm_config_registry: registry, npm_config_cache: join(home, 'npm'), ...env };
  const entry = { command: 'npx', args: ['-y', spec, ...args], env: variables, cwd: temporaryDirectory(), ...settings };
  const config = {
    ...devToolbox({ any: entry }),
    openTimeoutMs: 240_000,
    openBudgetChars: 400_000_000,
    defaults: { startTimeoutMs: 240_000 },
  };
  const agent = await connectAgent('v2 legacy', { config, env: { HOME: home } });
  const listing = JSON.parse(text(await agent.open('dev')));
  const [first] = listing.tools ?? [];
  expect(first).toBeDefined();
  const answer = text(await agent.use('dev', 'any', first.name, {}));
  await agent.close();
  return { listing, answer: answer.replaceAll(/\d+|\/tmp\/\S+/g, '#') };
}

test.each(packages)('$spec lists and answers the same from its file as through npx', async (server) => {
  const written = await seen(server, { resolve: false });
  const resolved = await seen(server, {});
  const again = await seen(server, {});
  expect(resolved).toEqual(written);
  expect(again).toEqual(written);
});
