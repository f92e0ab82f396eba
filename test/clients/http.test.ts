import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { clientPermissions } from '../support/client-entries.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { type RunningService, startService } from '../support/http-service.js';
import { markerVariable } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { endClientsWhenTestFinishes, runClient } from './client.js';
import { type Model, promptFor, startModel } from './model.js';
import { call } from './scripted-clients.js';

// Clients that `connect CLIENT --http` has connected run a task over HTTP, with the service of one person.

async function start() {
  const model = await startModel();
  model.release();
  const service = await startService({ config: devToolbox({ any: fixture() }), through: model.through });
  endClientsWhenTestFinishes(service.marker);
  return { model, service };
}

function write({ home }: RunningService, file: string, content: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), content);
}

async function connect({ home, url }: RunningService, client: string): Promise<void> {
  const { code, stderr } = await runCommand(['connect', client, '--http', url, '--yes'], { env: { HOME: home } });
  expect([code, stderr]).toEqual([0, '']);
}

/** What the model has read of two calls, and what the client has printed. */
async function task(
  { home, marker }: RunningService,
  { through, held }: Model,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const prompt = promptFor([call('echo', { text: 'over HTTP' }), call('echo', { text: 'again' })]);
  const printed = await runClient(program, [...args, prompt], {
    env: { HOME: home, PATH, [markerVariable]: marker, ...env },
    cwd: home,
    through,
  });
  return { printed, read: held.join('\n') };
}

/** Before it is looked whether the client has left processes. */
async function stop(service: RunningService): Promise<void> {
  service.kill('SIGTERM');
  await service.exited;
}

test('Claude Code runs a task over HTTP, with the token from the helper in its entry', async () => {
  const { model, service } = await start();
  write(service, '.claude/settings.json', clientPermissions('Claude Code'));
  await connect(service, 'claude-code');
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' };
  const { read, printed } = await task(service, model, ['claude', '--output-format', 'json', '-p'], env);
  expect(read, `${printed}${service.stderr()}`).toContain('over HTTP');
  await stop(service);
});

test('Codex runs a task over HTTP, with the token from the variable that its entry names', async () => {
  const { model, service } = await start();
  const provider = `{ name = "Scripted", base_url = "${model.url}/v1", wire_api = "responses" }`;
  const settings = `model = "scripted"\nmodel_provider = "scripted"\nmodel_providers.scripted = ${provider}\n`;
  write(service, '.codex/config.toml', settings);
  await connect(service, 'codex');
  appendFileSync(join(service.home, '.codex/config.toml'), 'default_tools_approval_mode = "approve"\n');
  const command = ['codex', 'exec', '--json', '--skip-git-repo-check'];
  const { read, printed } = await task(service, model, command, { MCP_WORKBENCH_TOKEN: service.token });
  expect(read, `${printed}${service.stderr()}`).toContain('over HTTP');
  await stop(service);
});
