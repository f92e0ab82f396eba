import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory, underLimit } from '../../test/support/launch.js';
import { posixOnly } from '../../test/support/platform.js';
import { bundleProgram } from '../../test/support/program.js';
import { removeStaleTemporaries, writeFileAtomically, writeFileAtomicallySync } from './atomic-file.js';

const ways = {
  writeFileAtomically,
  writeFileAtomicallySync: async (file: string, text: string) => writeFileAtomicallySync(file, text),
};

describe.each(Object.entries(ways))('%s', (name, write) => {
  test('creates the directory and replaces the file, accessible only to the user', async () => {
    posixOnly('file modes');
    const directory = join(temporaryDirectory(), 'deep', 'er');
    await write(join(directory, 'file'), 'old');
    await write(join(directory, 'file'), 'new');
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('new');
    expect(readdirSync(directory)).toEqual(['file']);
    expect(statSync(join(directory, 'file')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('leaves no temporary file when the rename fails', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'file'));
    await expect(write(join(directory, 'file'), 'text')).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('fails where the directory cannot be created', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'plain'), '');
    await expect(write(join(directory, 'plain', 'file'), 'text')).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(['plain']);
  });

  test('keeps the old content and leaves no temporary file on a full disk', async () => {
    posixOnly('ulimit');
    const directory = temporaryDirectory();
    const file = join(directory, 'file');
    const program = join(temporaryDirectory(), 'program.mjs');
    const code = `
      import { ${name} } from './platform/atomic-file.js';
      try { await ${name}(process.argv[2], 'x'.repeat(10_000)); } catch (error) { process.stdout.write(error.code); }
    `;
    writeFileSync(program, await bundleProgram(code));
    await write(file, 'old');
    // Limits files to a few blocks.
    const [command = '', ...args] = underLimit('-f 4', [process.execPath, program, file]);
    expect((await promisify(execFile)(command, args)).stdout).toBe('EFBIG');
    expect(readdirSync(directory)).toEqual(['file']);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});

test('only temporary files of writes interrupted long ago are removed', () => {
  const directory = temporaryDirectory();
  const old = (name: string, hours: number) => {
    const at = new Date(Date.now() - hours * 3_600_000);
    writeFileSync(join(directory, name), '');
    utimesSync(join(directory, name), at, at);
  };
  old('eras.json.1.tmp', 2);
  old('eras.json.2.tmp', 0);
  old('eras.json', 100);
  removeStaleTemporaries(directory);
  expect(readdirSync(directory).sort()).toEqual(['eras.json', 'eras.json.2.tmp']);
  removeStaleTemporaries(join(directory, 'missing'));
});
