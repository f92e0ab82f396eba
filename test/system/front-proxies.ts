import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ServerEntry } from '../support/configs.js';
import { devToolbox } from '../support/configs.js';
import { type RunningService, startService } from '../support/http-service.js';
import { temporaryDirectory } from '../support/launch.js';
import { closedPort } from '../support/loopback.js';
import { allProcesses } from '../support/processes.js';
import { until } from '../support/until.js';

// Reverse proxies as operators put them in front of a service, on loopback, with what docs/http.md says that they need.

export const proxyNames = ['nginx', 'HAProxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** A service behind a proxy. */
export interface ProxiedService {
  /** As clients see it. */
  readonly service: RunningService;
  /** Without the proxy. */
  readonly direct: RunningService;
  /** What HAProxy thinks of the service: `UP L7OK 200`. */
  readonly health: () => Promise<string>;
}

interface Place {
  readonly dir: string;
  /** Of the proxy. */
  readonly port: number;
  readonly servicePort: number;
}

interface Kind {
  readonly command: string;
  readonly args: (file: string) => readonly string[];
  readonly config: (place: Place) => string;
}

const kinds: Readonly<Record<ProxyName, Kind>> = {
  nginx: {
    command: '/usr/sbin/nginx',
    args: (file) => ['-e', 'stderr', '-c', file],
    config: ({ dir, port, servicePort }) => `
      # The directories of a test are for root alone.
      user root;
      daemon off;
      worker_processes 1;
      pid ${dir}/nginx.pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n')}
        server {
          listen 127.0.0.1:${port};
          ${documented('nginx', servicePort)}
        }
      }
    `,
  },
  HAProxy: {
    command: '/usr/sbin/haproxy',
    args: (file) => ['-db', '-f', file],
    config: ({ dir, port, servicePort }) => `
      global
        stats socket ${join(dir, statsSocket)} mode 600 level admin
        tune.bufsize 32768
        tune.http.maxhdr 200
      ${documented('haproxy', servicePort).replace(/bind .*/, `bind 127.0.0.1:${port}`)}
    `,
  },
};

/** A piece of configuration as docs/http.md has it, with the port of the service. */
function documented(language: string, servicePort: number): string {
  const page = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');
  const block = page.split(`\`\`\`${language}\n`)[1]?.split('```')[0];
  if (block === undefined) throw new Error(`docs/http.md has no block for ${language}`);
  return block.replace('4760', String(servicePort));
}

const statsSocket = 'stats.sock';

/** A service for one person with these servers, which knows its URL at the proxy. */
export async function startBehind(
  name: ProxyName,
  servers: Readonly<Record<string, ServerEntry>>,
): Promise<ProxiedService> {
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const limits = { requestsPerSecond: 100_000 };
  const direct = await startService({ config: { ...devToolbox(servers), http: { url, limits } } });
  const dir = temporaryDirectory();
  await startProxy(kinds[name], { dir, port, servicePort: direct.port });
  const health = () => healthIn(join(dir, statsSocket));
  if (name === 'HAProxy') await until(async () => (await health()).startsWith('UP'), { what: 'a health check' });
  // The token is read when it is asked for.
  const service = Object.defineProperty({ ...direct }, 'url', { value: url });
  return { service, direct, health };
}

/** Runs until the test ends, in a process group of its own, of which then nothing is left. */
async function startProxy({ command, args, config }: Kind, place: Place): Promise<void> {
  const file = join(place.dir, 'proxy.conf');
  // HAProxy wants a line break at the end.
  writeFileSync(file, `${config(place).trim()}\n`);
  const child = spawn(command, args(file), { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const { pid: group } = child;
  if (group === undefined) throw new Error(`${command} was not started`);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    try {
      child.kill('SIGTERM');
      await exited;
      await until(() => allProcesses().every((one) => one.group !== group), { what: `the end of ${command}` });
    } catch (error) {
      process.kill(-group, 'SIGKILL');
      throw error;
    }
  });
  const answers = async () => (await fetch(`http://127.0.0.1:${place.port}/livez`)).status === 200;
  await until(async () => child.exitCode !== null || (await answers()), { what: `an answer of ${command}` });
  if (child.exitCode !== null) throw new Error(`${command} has ended: ${stderr}`);
}

/** State, result of the last check and its status, from the statistics of HAProxy. */
async function healthIn(socket: string): Promise<string> {
  const connection = connect(socket);
  connection.end('show stat\n');
  let text = '';
  for await (const chunk of connection) text += String(chunk);
  const [head = '', ...rows] = text.split('\n');
  const names = head.replace('# ', '').split(',');
  const row = rows
    .map((line) => line.split(','))
    .find(([backend, server]) => backend === 'workbench' && server === 'one');
  return ['status', 'check_status', 'check_code'].map((one) => row?.[names.indexOf(one)] ?? '').join(' ');
}
