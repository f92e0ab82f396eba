// An agent that the suite starts as the client under test, with the url of its server: it starts the built workbench with a
// toolbox for that server, and does with both tools what the scenario asks a client to do.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';
const ownHost = ['--host-name', `conformance-${process.pid}`];
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What each scenario needs beside the default. */
const scenarios = {
  // The server has no implementation of its tool.
  'json-schema-ref-no-deref': { run: (agent) => agent.open() },
  'sse-retry': {
    async run(agent) {
      await agent.open();
      // The suite takes any stream that is opened after the call for the reconnection; ours for notifications must be earlier.
      await delay(1_000);
      await agent.use('test_reconnection');
    },
  },
  'sep-2322-client-request-state': {
    // Another call during the question must not get anything of it.
    onQuestion: (agent) => agent.use('test_mrtr_unrelated'),
  },
  'auth/basic-cimd': {
    entry: { oauth: { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' } },
  },
  'auth/pre-registration': { entry: { oauth: { clientId: context.client_id, clientSecret: context.client_secret } } },
  'auth/authorization-server-migration': {
    // The user is asked once in a call. The server changes its authorization server right after the first login.
    run: (agent) => callEach(agent).catch(() => callEach(agent)),
  },
  'auth/client-credentials-basic': {
    entry: {
      oauth: { grant: 'client_credentials', clientId: context.client_id, clientSecret: context.client_secret },
    },
  },
  'http-custom-headers': {
    async run(agent) {
      await agent.open();
      for (const { name, arguments: args } of context.toolCalls) await agent.use(name, args);
    },
  },
  'json-schema-2020-12-preservation': {
    async run(agent) {
      const tools = await agent.open({ detail: 'full' });
      const { inputSchema } = tools.find(({ name }) => name !== 'json_schema_echo');
      await agent.use('json_schema_echo', { schema: inputSchema });
    },
  },
};
const { run = callEach, onQuestion = () => {}, entry = {} } = scenarios[scenario] ?? {};

/** The user, who follows a link and consents: the suite redirects at once. */
async function consent(link) {
  const { headers } = await fetch(link, { redirect: 'manual' });
  const redirect = headers.get('location');
  if (redirect === null) return { action: 'decline' };
  // Like a browser, which is not waited for.
  void fetch(redirect).catch(() => {});
  return { action: 'accept' };
}

/** Opens the toolbox and calls every tool in it. */
async function callEach(agent) {
  for (const { name, inputSchema } of await agent.open()) await agent.use(name, someArguments(inputSchema));
}

const samples = { string: 'text', number: 1.5, integer: 2, boolean: true, object: {}, array: [], null: null };

function someArguments({ properties = {} }) {
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, samples[type] ?? 'text']));
}

async function connect(dir) {
  const home = join(dir, 'home');
  mkdirSync(home);
  const config = join(dir, 'config.json');
  const toolbox = { description: 'For the suite', mcpServers: { suite: { url, ...entry } } };
  writeFileSync(config, JSON.stringify({ toolboxes: { suite: toolbox } }));
  const client = new Client(
    { name: 'conformance-agent', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return result;
  };
  const agent = {
    async open(options = {}) {
      const { content } = await call('open_toolbox', { toolbox: 'suite', ...options });
      return JSON.parse(content[0].text).tools;
    },
    use: (name, args = {}) => call('use_tool', { tool: { toolbox: 'suite', server: 'suite', name }, arguments: args }),
    close: () => client.close(),
  };
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') return consent(params.url);
    await onQuestion(agent);
    const confirmed = params.requestedSchema?.properties?.confirmed;
    return { action: 'accept', content: confirmed === undefined ? {} : { confirmed: true } };
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, '--config', config, ...ownHost],
      env: { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home },
    }),
  );
  return agent;
}

const dir = mkdtempSync(join(tmpdir(), 'mcp-workbench-driver-'));
try {
  const agent = await connect(dir);
  try {
    await run(agent);
  } finally {
    await agent.close();
    execFileSync(process.execPath, [program, 'stop', ...ownHost], { stdio: 'ignore' });
  }
} finally {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
