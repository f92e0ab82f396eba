import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { parseConfig } from '../read/parse.js';
import type { WorkbenchConfigFile } from './config-file.generated.js';
import type { writtenFileSchema } from './dialect-schema.js';

const fileAt = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** The schema's own type, with Maps as the objects they are in the file. */
type AsWritten<T> =
  T extends Map<string, infer Value>
    ? { [name: string]: AsWritten<Value> }
    : T extends (infer Item)[]
      ? AsWritten<Item>[]
      : T extends object
        ? { [Key in keyof T]: AsWritten<T[Key]> }
        : T;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Optional keys would hide a missing one from mutual assignability. */
type AllRequired<T> = T extends (infer Item)[]
  ? AllRequired<Item>[]
  : T extends object
    ? { [Key in keyof T]-?: AllRequired<T[Key]> }
    : T;

type FromSchema = AsWritten<z.input<typeof writtenFileSchema>>;

test('the published types say what the schema says', () => {
  const areTheSame: [
    Same<FromSchema, WorkbenchConfigFile>,
    Same<AllRequired<FromSchema>, AllRequired<WorkbenchConfigFile>>,
  ] = [true, true];
  expect(areTheSame).toEqual([true, true]);
});

test('the JSON Schema, the types, the shape for the quick reader and the tables of the docs are up to date', async () => {
  await promisify(execFile)(process.execPath, [fileAt('scripts/generate.mjs'), '--check']);
});

test('the example in docs/config.md is a valid configuration without warnings', () => {
  const [, example = ''] = /```jsonc\n([^]*?)```/.exec(readFileSync(fileAt('docs/config.md'), 'utf8')) ?? [];
  const config = parseConfig(example, { path: '/c.json', env: {}, cwd: '/project', home: '/' });
  expect(config.warnings).toEqual([]);
  expect(config.toolboxes.get('dev')?.servers.get('filesystem')?.target.kind).toBe('stdio');
});
