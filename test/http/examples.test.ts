import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parse as parseWords } from '../../src/cli/frame/command-line/parse.js';
import { commands } from '../../src/cli/frame/command-line/table.js';
import { parseListenAddress } from '../../src/config/http/addresses.js';
import { closeLimitMs, drainCallsMs, drainNoticeMs } from '../../src/serve/http/exchange/limits.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';

// The files of examples/http; its configuration is run by test/examples.test.ts.
const directory = fileURLToPath(new URL('../../examples/http/', import.meta.url));
const read = (name: string) => readFileSync(join(directory, name), 'utf8');
const endMs = drainNoticeMs + drainCallsMs + closeLimitMs;
const configuration = '/etc/mcp-workbench/workbench-config.json';

/** The words behind the program, as the program itself reads them. */
function serveWords([name, ...args]: readonly string[]) {
  const serve = commands.find((command) => command.name === name);
  if (serve === undefined) throw new Error(`no command ${name}`);
  return parseWords(serve, args);
}

/** The instructions of a Containerfile, by their names. */
function instructions(): Map<string, string> {
  const lines = read('Containerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]));
}

test('the image starts a service with a command line that the program takes, and not as root', () => {
  const found = instructions();
  expect([...found.keys()]).toEqual([
    ...['FROM', 'COPY', 'RUN', 'USER', 'ENV', 'VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
  ]);
  expect(found.get('USER')).toBe('node');
  expect(JSON.parse(found.get('ENTRYPOINT') ?? '')).toEqual(['mcp-workbench']);
  const parsed = serveWords(JSON.parse(found.get('CMD') ?? ''));
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(parsed.words.map((word) => parseListenAddress(word))).toEqual([{ host: '0.0.0.0', port: 4760 }]);
  expect(found.get('EXPOSE')).toBe('4760');
});

test('the compose file mounts the configuration of the team where the image reads it, and leaves time to end', () => {
  const { services, networks, volumes, configs } = parseYaml(read('compose.yaml'));
  const { workbench, proxy } = services;
  const [file, target] = workbench.volumes[0].split(':');
  expect(existsSync(join(directory, file))).toBe(true);
  expect([target, instructions().get('CMD')]).toEqual([configuration, expect.stringContaining(configuration)]);
  expect(Number.parseInt(workbench.stop_grace_period, 10) * 1_000).toBeGreaterThan(endMs);
  // Only the proxy is reached from outside.
  expect(workbench.ports).toBeUndefined();
  expect(networks.inside).toEqual({ internal: true });
  expect(proxy.ports).toEqual(['443:443']);
  const named = [workbench, proxy].flatMap((one) => one.volumes).map((one: string) => one.split(':', 1)[0] ?? '');
  expect(named.filter((name) => !name.startsWith('.'))).toEqual(Object.keys(volumes));
  const host = /"url": "https:\/\/([^/]+)\/mcp"/.exec(readFileSync(join(directory, file), 'utf8'))?.[1];
  expect(configs.caddyfile.content).toContain(`${host} {`);
});

test('the unit is one that systemd takes, and leaves time to end', () => {
  const unit = read('mcp-workbench.service');
  const command = /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
  expect(serveWords(command)).not.toHaveProperty('problem');
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1_000).toBeGreaterThan(endMs);
  linuxOnly('systemd');
  const program = '/usr/bin/systemd-analyze';
  if (!existsSync(program)) return;
  const copy = join(temporaryDirectory(), 'mcp-workbench.service');
  // The program and the user are those of the machine that it is for.
  writeFileSync(copy, unit.replace('/usr/local/bin/mcp-workbench', process.execPath).replace(/^User=.*\n/m, ''));
  const { stdout, stderr } = spawnSync(program, ['verify', copy], { encoding: 'utf8' });
  expect((stdout + stderr).split('\n').filter((line) => line.includes('mcp-workbench'))).toEqual([]);
});
