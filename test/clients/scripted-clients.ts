import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { shellQuote } from '../../src/text/shell-quote.js';
import { clientEntry, clientPermissions } from '../support/client-entries.js';
import { devToolbox } from '../support/configs.js';
import { builtProgram } from '../support/launch.js';
import { markerVariable } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { shareSessions } from '../support/shared.js';
import { endClientsWhenTestFinishes, installWorkbench, runClient } from './client.js';
import { type Model, promptFor, startModel } from './model.js';

/** A call of a tool of the scripted server. */
export const call = (name: string, args: object) => ({
  tool: { toolbox: 'dev', server: 'any', name },
  arguments: args,
});

interface ClientSpec {
  readonly program: string;
  /** Arguments of a run before, that sets it up. */
  readonly first?: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string | object>>;
}

const openai = (url: string) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1` });

/** How each is started, with a model of this URL. */
export const clients: Readonly<Record<string, (url: string) => ClientSpec>> = {
  'Claude Code': (url) => ({
    program: 'claude',
    args: ['--output-format', 'json', '-p'],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' },
    files: {
      '.claude.json': clientEntry('Claude Code'),
      '.claude/settings.json': clientPermissions('Claude Code'),
    },
  }),
  Codex: (url) => ({
    program: 'codex',
    args: ['exec', '--json', '--skip-git-repo-check'],
    env: {},
    files: {
      '.codex/config.toml': `model = "scripted"\nmodel_provider = "scripted"\nmodel_providers.scripted = { name = "Scripted", base_url = "${url}/v1", wire_api = "responses" }\n\n${clientEntry('Codex')}`,
    },
  }),
  'Gemini CLI': (url) => ({
    program: 'gemini',
    args: ['--yolo', '-p'],
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'gemini-2.5-pro' },
    files: {
      '.gemini/settings.json': {
        ...JSON.parse(clientEntry('Gemini CLI')),
        security: { folderTrust: { enabled: false }, auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      },
    },
  }),
  opencode: (url) => ({
    program: 'opencode',
    args: ['run', '--model', 'scripted/scripted'],
    env: {},
    files: {
      '.config/opencode/opencode.json': {
        ...JSON.parse(clientEntry('opencode')),
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { scripted: {} },
          },
        },
      },
    },
  }),
  'Qwen Code': (url) => ({
    program: 'qwen',
    args: ['--yolo', '--auth-type', 'openai', '--model', 'scripted', '-p'],
    env: { ...openai(url), OPENAI_MODEL: 'scripted' },
    files: { '.qwen/settings.json': clientEntry('Qwen Code') },
  }),
  'Copilot CLI': (url) => ({
    program: 'copilot',
    args: ['--allow-tool', 'workbench', '-p'],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted',
      COPILOT_PROVIDER_TYPE: 'openai',
    },
    files: { '.copilot/mcp-config.json': clientEntry('Copilot CLI') },
  }),
  Cline: (url) => ({
    program: 'cline',
    first: ['auth', '--provider', 'openai', '--apikey', 'none', '--modelid', 'scripted', '--baseurl', `${url}/v1`],
    args: ['--provider', 'openai', '--model', 'scripted', '--timeout', '900'],
    env: {},
    files: { '.cline/data/settings/cline_mcp_settings.json': clientEntry('Cline') },
  }),
  Continue: (url) => ({
    program: 'cn',
    args: ['--config', '.continue/config.yaml', '--auto', '-p'],
    env: {},
    files: {
      '.continue/config.yaml': `${clientEntry('Continue')}models:\n  - { name: scripted, provider: openai, model: scripted, apiKey: none, apiBase: "${url}/v1", capabilities: [tool_use] }\n`,
    },
  }),
};

/** Cline and Continue show a result, or its blocks, as JSON. */
function textRead(result: string): string {
  if (!/^(?:\{"|\[\{"type":)/.test(result)) return result;
  const shown = JSON.parse(result);
  const blocks = Array.isArray(shown) ? shown : shown.content;
  return Array.isArray(blocks) ? blocks.map(({ text }) => text).join('') : result;
}

function specOf(client: string, { url }: Model): ClientSpec {
  const spec = clients[client]?.(url);
  if (spec === undefined) throw new Error(`not a client: ${client}`);
  return spec;
}

export interface ScriptedRun {
  /** Of the toolbox `dev`; by default the scripted server alone, as `any`. */
  readonly servers?: Parameters<typeof devToolbox>[0];
  /** The client is interrupted, as by Ctrl-C, when this resolves. */
  readonly interrupted?: Promise<unknown>;
}

/** Runs a client whose model makes these calls. Returns the results that the model has read, but for that of the last call. */
export async function resultsIn(
  client: string,
  calls: Parameters<typeof promptFor>[0],
  { servers = { any: fixture() }, interrupted }: ScriptedRun = {},
) {
  const model = await startModel();
  const shared = shareSessions(devToolbox(servers));
  endClientsWhenTestFinishes(shared.marker);
  const { program, first, args, env, files } = specOf(client, model);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(shared.home, path)), { recursive: true });
    writeFileSync(join(shared.home, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const words = [process.execPath, builtProgram, '--config', shared.file, '--host-name', shared.hostName];
  const bin = installWorkbench(shared.dir, `exec ${words.map(shellQuote).join(' ')} "$@"`);
  const PATH = [bin, process.env['PATH']].join(delimiter);
  model.release();
  const options = {
    env: { HOME: shared.home, PATH, [markerVariable]: shared.marker, ...env },
    cwd: shared.home,
    through: model.through,
  };
  if (first !== undefined) await runClient(program, first, options);
  const printed = await runClient(program, [...args, promptFor(calls)], { ...options, interrupted });
  return { read: model.held.map(textRead), printed };
}
