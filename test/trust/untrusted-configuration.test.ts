// @module-tag hostile
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { available, contentOf, hostileClone, toolboxesServed } from '../support/hostile-clone.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

describe('a configuration in a cloned repository', () => {
  posixOnly('the place of the user’s own file');

  test('is not used, and no text of it reaches the agent', async () => {
    const clone = hostileClone(contentOf('evil'));
    writeFileSync(clone.own, contentOf('mine'));
    const agent = await connectAgent('v2 modern', clone);
    const seen = [agent.instructions, JSON.stringify(await agent.listTools()), text(await agent.open('evil'))];
    expect(available.exec(seen[2] ?? '')?.[1]).toBe('mine');
    expect(seen.slice(0, 2).join('\n')).not.toMatch(/evil|ignore all previous/);
    const lines = agent.instructions.split('\n').filter((line) => line.includes('working directory'));
    expect(lines).toEqual([
      'Not used: a workbench-config.json in the working directory; the user has not trusted it. Only the user can decide on it, in a terminal: mcp-workbench trust',
    ]);
    // Written last at the start.
    await until(() => agent.stderr().includes('configuration: '), { what: 'the log of the start' });
    expect(
      agent
        .stderr()
        .split('\n')
        .filter((line) => line.includes('mcp-workbench trust')),
    ).toEqual([
      `mcp-workbench warning: ${clone.file} is not used: the user has not trusted it. To look at it and trust it, run in its directory: mcp-workbench trust`,
    ]);
  });

  test('is not even read as one: faults, another encoding, a directory and a pipe change nothing', async () => {
    const clone = hostileClone('{ "toolboxes": ');
    writeFileSync(clone.own, contentOf('mine'));
    expect(await toolboxesServed(clone)).toBe('mine');
    writeFileSync(clone.file, Buffer.from([0xff, 0xfe, 0]));
    expect(await toolboxesServed(clone)).toBe('mine');
    rmSync(clone.file);
    mkdirSync(clone.file);
    expect(await toolboxesServed(clone)).toBe('mine');
    rmSync(clone.file, { recursive: true });
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', clone.file]);
    expect(await toolboxesServed(clone)).toBe('mine');
  });

  test('runs no program for variables before it is trusted, also not while it is shown', async () => {
    const ran = join(temporaryDirectory(), 'ran');
    const envCommand = ['/bin/sh', '-c', `echo x >> ${ran}`];
    const clone = hostileClone(JSON.stringify({ defaults: { envCommand }, mcp: { evil: { command: ['x'] } } }));
    writeFileSync(clone.own, contentOf('mine'));
    expect(await toolboxesServed(clone)).toBe('mine');
    await runCommand(['trust', '--dry-run'], clone);
    await runCommand(['trust', '--yes'], clone);
    expect(existsSync(ran)).toBe(false);
    const agent = await connectAgent('v2 legacy', clone);
    await agent.open('default');
    expect(readFileSync(ran, 'utf8')).toBe('x\n');
  });

  test('leaves the embedded default where the user has no file', async () => {
    expect(await toolboxesServed(hostileClone(contentOf('evil')))).toBe('getting-started');
  });

  test('cannot forge lines on stderr by the name of its directory', async () => {
    const clone = hostileClone(contentOf('evil'));
    const cwd = join(clone.home, 'x\nmcp-workbench info: all is well\u001b[2J');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'workbench-config.json'), contentOf('evil'));
    const workbench = startWorkbench({ cwd, env: clone.env });
    workbench.end();
    await workbench.exited;
    expect(workbench.stderr()).not.toContain('\u001b');
    expect(workbench.stderr()).not.toMatch(/^mcp-workbench info: all is well/m);
  });

  test('is used once it is trusted, until a byte of it changes', async () => {
    const clone = hostileClone(contentOf('shop'));
    writeFileSync(clone.own, contentOf('mine'));
    expect(await runCommand(['trust', '--yes'], clone)).toMatchObject({ code: 0, stderr: '' });
    expect(await toolboxesServed(clone)).toBe('shop');
    writeFileSync(clone.file, `${contentOf('shop')} `);
    const workbench = startWorkbench(clone);
    const { result } = await initialize(workbench);
    expect(result?.['instructions']).toContain('it has changed since the user trusted it');
    expect(JSON.stringify(result)).not.toContain('shop');
    writeFileSync(clone.file, contentOf('shop'));
    expect(await toolboxesServed(clone)).toBe('shop');
    expect((await runCommand(['untrust'], clone)).code).toBe(0);
    expect(await toolboxesServed(clone)).toBe('mine');
  });

  test('is not trusted because a copy of it is, nor as a link to a trusted file', async () => {
    const clone = hostileClone(contentOf('shop'));
    await runCommand(['trust', '--yes'], clone);
    const copy = join(clone.home, 'copy');
    mkdirSync(copy);
    writeFileSync(join(copy, 'workbench-config.json'), contentOf('shop'));
    expect(await toolboxesServed({ ...clone, cwd: copy })).toBe('getting-started');
    rmSync(join(copy, 'workbench-config.json'));
    symlinkSync(clone.file, join(copy, 'workbench-config.json'));
    // Its relative paths would lead to the programs of this directory.
    const agent = await connectAgent('v2 legacy', { ...clone, cwd: copy });
    expect(agent.instructions).toContain('workbench-config.json in the working directory; it is a link.');
    expect(available.exec(text(await agent.open('nowhere')))?.[1]).toBe('getting-started');
    const { code, stderr } = await runCommand(['trust', '--yes'], { ...clone, cwd: copy });
    expect([code, stderr]).toEqual([
      3,
      `${join(copy, 'workbench-config.json')} is a link, and is not used as a configuration.\n`,
    ]);
    // The directory itself may be reached by one.
    symlinkSync(clone.cwd, join(clone.home, 'linked'));
    expect(await toolboxesServed({ ...clone, cwd: join(clone.home, 'linked') })).toBe('shop');
  });

  test('does not hold up the start as a link to a file without an end', async () => {
    linuxOnly('/proc');
    const clone = hostileClone(contentOf('evil'));
    rmSync(clone.file);
    symlinkSync('/proc/self/pagemap', clone.file);
    expect(await toolboxesServed(clone)).toBe('getting-started');
  });

  test.each(['', '.', 'home'])('does not become the user’s own where HOME is %j', async (home) => {
    const clone = hostileClone(contentOf('evil'));
    const own = join(clone.cwd, home, '.config', 'mcp-workbench');
    const state = join(clone.cwd, home, '.local', 'state', 'mcp-workbench');
    for (const directory of [own, state]) mkdirSync(directory, { recursive: true });
    writeFileSync(join(own, 'workbench-config.json'), contentOf('evil'));
    await runCommand(['trust', '--yes'], clone);
    const list = join('.local', 'state', 'mcp-workbench', 'trust.json');
    writeFileSync(join(clone.cwd, home, list), readFileSync(join(clone.home, list)), { mode: 0o600 });
    expect(await toolboxesServed({ ...clone, env: { ...clone.env, HOME: home } })).not.toBe('evil');
  });

  test('needs no trust where it is the user’s own, also through a link', async () => {
    const clone = hostileClone(contentOf('evil'));
    writeFileSync(clone.own, contentOf('mine'));
    expect(await toolboxesServed({ ...clone, cwd: join(clone.home, '.config', 'mcp-workbench') })).toBe('mine');
    symlinkSync(join(clone.home, '.config', 'mcp-workbench'), join(clone.home, 'dotfiles'));
    const agent = await connectAgent('v2 legacy', { ...clone, cwd: join(clone.home, 'dotfiles') });
    expect(agent.instructions).not.toContain('Not used');
  });

  test('is not trusted by a list that others can write to, or that is damaged', async () => {
    const clone = hostileClone(contentOf('shop'));
    await runCommand(['trust', '--yes'], clone);
    const list = join(clone.home, '.local', 'state', 'mcp-workbench', 'trust.json');
    expect(statSync(list).mode & 0o777).toBe(0o600);
    execFileSync('chmod', ['o+w', list]);
    expect(await toolboxesServed(clone)).toBe('getting-started');
    execFileSync('chmod', ['o-w', list]);
    expect(await toolboxesServed(clone)).toBe('shop');
    writeFileSync(list, '{"files":[{"path":1}]}');
    expect(await toolboxesServed(clone)).toBe('getting-started');
  });
});
