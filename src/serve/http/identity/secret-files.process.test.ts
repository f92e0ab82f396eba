import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { bundleProgram } from '../../../../test/support/program.js';

const processes = 6;

test('processes that make the token and the key for sessions at the same time have the same ones', async () => {
  const home = temporaryDirectory();
  const program = join(home, 'program.mjs');
  // Each waits for a moment that all of them know, when all are loaded.
  const code = `
    import { readOrMakeSecret, readOrMakeToken } from './serve/http/identity/secret-files.js';
    const [data, ready, others] = process.argv.slice(2);
    import { readdirSync, writeFileSync } from 'node:fs';
    writeFileSync(ready + '/' + process.pid, '');
    while (readdirSync(ready).length < Number(others)) {}
    const made = Array.from({ length: 20 }, (_, round) => {
      const place = data + '/' + round + '/mcp-workbench';
      return [readOrMakeToken(place, process.platform), readOrMakeSecret(place, process.platform).toString('hex')];
    });
    process.stdout.write(JSON.stringify(made));
  `;
  writeFileSync(program, await bundleProgram(code));
  const [data, ready] = [temporaryDirectory(), temporaryDirectory()];
  const run = () => promisify(execFile)(process.execPath, [program, data, ready, String(processes)]);
  const outputs = (await Promise.all(Array.from({ length: processes }, run))).map(({ stdout }) => stdout);
  expect(new Set(outputs).size).toBe(1);
  const made: unknown = JSON.parse(outputs[0] ?? '');
  expect(new Set(Array.isArray(made) ? made.flat() : []).size).toBe(40);
  expect(readdirSync(join(data, '7', 'mcp-workbench'))).toEqual(['http-secret', 'http-token']);
});
