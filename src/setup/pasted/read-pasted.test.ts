import { describe, expect, test } from 'vitest';
import { isPasted, readPasted } from './read-pasted.js';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const npx = { command: 'npx', args: ['-y', '@upstash/context7-mcp'] };
const servers = (text: string) => {
  const read = readPasted(text);
  return 'problem' in read ? read.problem : Object.fromEntries(read.servers);
};

describe('a command that vendors print', () => {
  test.each<[string, object]>([
    ['claude mcp add context7 -- npx -y @upstash/context7-mcp', { context7: npx }],
    ['$ claude mcp add --scope user context7 npx -y @upstash/context7-mcp', { context7: npx }],
    [
      'claude mcp add --transport http sentry https://mcp.sentry.dev/mcp',
      { sentry: { type: 'http', url: 'https://mcp.sentry.dev/mcp' } },
    ],
    [
      `claude mcp add -t sse a https://a.example/sse?x=1&y=2 --header "X-Key: $KEY" -H 'B: c d'`,
      { a: { type: 'sse', url: 'https://a.example/sse?x=1&y=2', headers: { 'X-Key': '${KEY}', B: 'c d' } } },
    ],
    [
      'claude mcp add airtable --env AIRTABLE_API_KEY=YOUR_KEY B=2 \\\n  -- npx -y airtable-mcp-server --env',
      {
        airtable: {
          command: 'npx',
          args: ['-y', 'airtable-mcp-server', '--env'],
          env: { AIRTABLE_API_KEY: 'YOUR_KEY', B: '2' },
        },
      },
    ],
    [
      `claude mcp add-json --scope user w '{"type":"stdio","command":"x","env":{"A":"\${A}"}}'`,
      { w: { type: 'stdio', command: 'x', env: { A: '${A}' } } },
    ],
    ['codex mcp add ctx --env A=1 -- npx -y @upstash/context7-mcp', { ctx: { ...npx, env: { A: '1' } } }],
    [
      'codex mcp add gh --url https://api.githubcopilot.com/mcp/ --bearer-token-env-var GH',
      { gh: { url: 'https://api.githubcopilot.com/mcp/', headers: { Authorization: 'Bearer ${GH}' } } },
    ],
    [
      `code --add-mcp '{"name":"pw","command":"npx","args":["@playwright/mcp"]}'`,
      { pw: { command: 'npx', args: ['@playwright/mcp'] } },
    ],
    [
      'code-insiders --add-mcp "{\\"name\\":\\"a\\",\\"url\\":\\"https://a.example/mcp\\"}"',
      { a: { url: 'https://a.example/mcp' } },
    ],
    ['npx -y @upstash/context7-mcp', { context7: npx }],
    [
      'API_KEY=abc npx -y @scope/mcp-server',
      { scope: { command: 'npx', args: ['-y', '@scope/mcp-server'], env: { API_KEY: 'abc' } } },
    ],
    [
      'docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:1.2',
      {
        github: {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server:1.2'],
        },
      },
    ],
    [
      'uvx mcp-server-git --repository "my repo"',
      { git: { command: 'uvx', args: ['mcp-server-git', '--repository', 'my repo'] } },
    ],
    ['node /opt/weather/dist/index.js', { weather: { command: 'node', args: ['/opt/weather/dist/index.js'] } }],
    ['claude mcp add a -- x\n# and\nclaude mcp add b -- y', { a: { command: 'x' }, b: { command: 'y' } }],
  ])('%s', (text, expected) => {
    expect(servers(text)).toEqual(expected);
  });

  test.each([
    ['npm install -g some-mcp', 'installs a package'],
    ['cd /x && npx y', 'more than one command'],
    ['curl https://x.example | sh', 'more than one command'],
    ['npx $(evil) a', 'more than one command'],
    [`claude mcp add x -- 'npx`, 'not closed'],
    ['claude mcp add x', 'needs a name, and a URL or a program'],
    ['claude mcp add --nope x -- y', 'Unknown option --nope'],
    ['A=1', 'no command'],
  ])('is refused if it starts no server: %s', (text, problem) => {
    expect(servers(text)).toContain(problem);
  });
});

describe('a JSON text', () => {
  const whole = { a: { command: 'x' } };

  test.each<[string, object]>([
    [JSON.stringify({ mcpServers: whole }), whole],
    [JSON.stringify({ servers: whole, inputs: [] }), whole],
    [JSON.stringify({ context_servers: whole }), whole],
    [JSON.stringify({ mcp: { servers: whole } }), whole],
    [
      JSON.stringify({ mcp: { a: { type: 'local', command: ['x', 'y'] } } }),
      { a: { type: 'local', command: ['x', 'y'] } },
    ],
    [JSON.stringify(whole), whole],
    ['"mcpServers": { "a": { "command": "x" } },', whole],
    ['"a": { "command": "x", },', whole],
    ['// settings\n{ "a": { "command": "x" } }', whole],
    ['```json\n{ "a": { "command": "x" } }\n```', whole],
    [JSON.stringify(npx), { context7: npx }],
    [JSON.stringify({ command: 'npx -y @upstash/context7-mcp' }), { context7: npx }],
    [JSON.stringify({ url: 'https://mcp.linear.app/mcp' }), { linear: { url: 'https://mcp.linear.app/mcp' } }],
    ['[mcp_servers.a]\ncommand = "x"', whole],
  ])('%s', (text, expected) => {
    expect(servers(text)).toEqual(expected);
  });

  test('is read in the words of the client whose key it has', () => {
    const clientOf = (value: object) => readPasted(JSON.stringify(value));
    expect(clientOf({ context_servers: whole })).toMatchObject({ client: 'zed' });
    expect(clientOf({ servers: whole, inputs: [{ id: 'k' }] })).toMatchObject({
      client: 'vscode',
      inputs: [{ id: 'k' }],
    });
    expect(clientOf({ mcp: { servers: { a: { command: ['x'] } } } })).toMatchObject({ client: 'opencode' });
  });

  test.each([
    ['{ "mcpServers": { "a": { "command": ', '1:'],
    ['{ "a": 1 }', 'no server'],
    ['{}', 'no server'],
    ['{ "toolboxes": {} }', 'configuration of the workbench'],
    [' ', 'nothing in it'],
  ])('%s has no server', (text, problem) => {
    expect(servers(text)).toContain(problem);
  });
});

describe('an install link', () => {
  const vscode = encodeURIComponent(JSON.stringify({ name: 'ctx', ...npx }));

  test.each([
    [`cursor://anysphere.cursor-deeplink/mcp/install?name=ctx&config=${base64(npx)}`],
    [
      `cursor://anysphere.cursor-deeplink/mcp/install?name=ctx&config=${encodeURIComponent(base64({ command: 'npx -y @upstash/context7-mcp' }))}`,
    ],
    [`https://cursor.com/en/install-mcp?name=ctx&config=${base64({ other: npx })}`],
    [`vscode:mcp/install?${vscode}`],
    [`vscode-insiders:mcp/install?${vscode}`],
    [`https://insiders.vscode.dev/redirect/mcp/install?name=ctx&config=${encodeURIComponent(JSON.stringify(npx))}`],
    [`https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${vscode}`)}`],
  ])('%s', (text) => {
    expect(servers(text)).toEqual({ ctx: npx });
  });

  test('without anything to install is refused, and a plain address is that of a server', () => {
    expect(servers('cursor://anysphere.cursor-deeplink/mcp/install?name=x')).toContain('no "config"');
    expect(servers('cursor://x/install?name=x&config=%%%')).toContain('cannot be used');
    expect(servers('vscode:mcp/install?{')).toContain('cannot be used');
    expect(readPasted('https://mcp.sentry.dev/mcp')).toEqual({
      client: 'claude-code',
      servers: [['sentry', { url: 'https://mcp.sentry.dev/mcp' }]],
    });
  });
});

test('a word is pasted text if it is more than a name', () => {
  for (const word of ['npx -y x', '{"a":1}', 'vscode:mcp/install?x', 'https://a.example/mcp'])
    expect(isPasted(word)).toBe(true);
  for (const word of ['dev', 'a/b', '@scope/x', 'my-box', 'C:thing']) expect(isPasted(word)).toBe(false);
});
