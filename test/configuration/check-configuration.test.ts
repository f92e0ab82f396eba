// @module-tag hostile
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, text } from '../support/agents.js';
import { temporaryDirectory } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';

const check = async (agent: Agent, server: object) => {
  const config = { toolboxes: { dev: { description: 'x', mcpServers: { server } } } };
  return text(await agent.use('getting-started', 'guide', 'check_configuration', { text: JSON.stringify(config) }));
};

describe('check_configuration', () => {
  test('does not show which files exist, nor what is in them', async () => {
    posixOnly('a FIFO');
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), 'NAME=value\nnot an assignment\n');
    mkdirSync(join(directory, 'folder'));
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', join(directory, 'fifo')]);
    const agent = await connectAgent('v2 modern', {});
    const answers = await Promise.all(
      ['file', 'folder', 'fifo', 'missing', 'missing/file'].flatMap((name) =>
        [{ envFile: join(directory, name) }, { envFile: join(directory, name), args: ['${NAME}'] }].map((more) =>
          check(agent, { command: 'x', ...more }),
        ),
      ),
    );
    expect(new Set(answers.filter((_, index) => index % 2 === 0)).size).toBe(1);
    expect(new Set(answers.filter((_, index) => index % 2 === 1)).size).toBe(1);
    expect(answers.join('\n')).not.toContain(directory);
  });

  test('does not show which variables are set, nor their values', async () => {
    const agent = await connectAgent('v2 modern', { env: { PATH_TO_CANARY: 'canary-0001' } });
    const of = (name: string) => check(agent, { command: 'x', env: { A: `\${${name}}` }, cwd: `\${${name}}` });
    const [inherited, ours, missing] = await Promise.all([of('HOME'), of('PATH_TO_CANARY'), of('NOT_SET')]);
    const shape = (answer: string) => answer.replace(/needs \w+/, 'needs');
    expect(shape(inherited)).toBe(shape(missing));
    expect(shape(ours)).toBe(shape(missing));
    expect(missing).toContain('needs NOT_SET');
    expect(ours).not.toContain('canary');
    expect(await check(agent, { url: '${HOME}' })).toContain('remote server');
  });
});
