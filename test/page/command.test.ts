import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { createHome } from '../support/homes.js';
import { temporaryDirectory } from '../support/launch.js';
import { devHome, startPage } from '../support/page.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

posixOnly('looks for sockets in a directory');

describe('the command', () => {
  async function taken(): Promise<{ readonly server: Server; readonly port: number }> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
  }

  test('takes the next port if the first is taken, but not if one was named', async () => {
    const home = devHome({ any: fixture() });
    const [first, second] = [await startPage(home.env), await startPage(home.env)];
    expect(first.port).not.toBe(second.port);
    const { port } = await taken();
    const { code, stdout, stderr } = await home.run('page', '--no-browser', '--port', String(port));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`Port ${port} cannot be used`);
  });

  test.each(['0', '65536', 'x', '1.5'])('refuses the port %j', async (port) => {
    const { code, stderr } = await devHome({ any: fixture() }).run('page', '--port', port);
    expect([code, stderr.includes('--port needs a number')]).toEqual([2, true]);
  });

  test('ends if Ctrl-C comes while it is being started', async () => {
    const home = devHome({ any: fixture() });
    const script = `import net from 'node:net';
      const { listen } = net.Server.prototype;
      // Once: the first port may be taken, and a second Ctrl-C ends a command at once.
      net.Server.prototype.listen = function (...args) {
        net.Server.prototype.listen = listen;
        process.emit('SIGINT');
        return listen.apply(this, args);
      };`;
    const env = { ...home.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
    expect(await runCommand(['page', '--no-browser'], { env })).toMatchObject({ code: 0, stdout: '' });
  });

  test('of a test ends with the process that started it', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    page.disown();
    expect(await page.exited).toBe(1);
  });

  test('ends with the faults of a configuration', async () => {
    expect((await createHome('{').run('page', '--no-browser')).code).toBe(3);
  });

  test('opens the browser with its key in no argument of a process, and says in one line if there is none', async () => {
    linuxOnly('other systems have another program for it');
    const home = devHome({ any: fixture() });
    const bin = temporaryDirectory();
    const opened = join(bin, 'opened');
    mkdirSync(join(bin, 'empty'));
    const script = join(bin, 'xdg-open');
    // The argument, and what any user of the computer can read of all processes.
    const note = `{ printf '%s\\n' "$1"; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; } > ${opened}.new 2>/dev/null`;
    writeFileSync(script, `#!/bin/sh\n${note}\nmv ${opened}.new ${opened}\n`);
    chmodSync(script, 0o755);
    const env = { ...home.env, DISPLAY: ':9', PATH: `${bin}:/usr/bin:/bin` };
    const page = await startPage(env, []);
    const seen = await until(() => existsSync(opened) && readFileSync(opened, 'utf8'), { what: 'a browser' });
    const [path = ''] = seen.split('\n');
    expect(seen.split(path).length).toBeGreaterThan(2);
    expect(seen).not.toContain(page.token);
    const [, url = ''] = /url=([^"]+)"/.exec(readFileSync(path, 'utf8')) ?? [];
    expect((await fetch(url, { redirect: 'manual' })).headers.get('location')).toBe(page.address);
    expect(existsSync(path)).toBe(false);
    const line = 'No browser has opened the page: open the address above.';
    symlinkSync('/bin/false', join(bin, 'empty', 'xdg-open'));
    for (const none of [
      { ...env, PATH: join(bin, 'empty') },
      { ...home.env, DISPLAY: '' },
      { ...env, SSH_TTY: '/dev/pts/1' },
    ]) {
      const other = await startPage(none, []);
      await until(() => other.stderr().includes(line), { what: 'the line' });
      expect(other.stderr().split(line)).toHaveLength(2);
    }
  });
});
