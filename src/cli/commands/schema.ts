import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';

/** `mcp-workbench schema`: the JSON Schema of the configuration file, from the package. */
export async function runSchema({ output }: Call): Promise<ExitCode> {
  const text = readFileSync(schemaFile(import.meta.dirname), 'utf8');
  const schema: unknown = JSON.parse(text);
  output.document({ schema });
  output.print(text.trimEnd());
  return exitCodes.ok;
}

/** In the package it is in a directory beside that of the program; `connect` copies both into one. */
function schemaFile(directory: string): string {
  const name = 'workbench-config.schema.json';
  const inPackage = join(directory, '../schema', name);
  return existsSync(inPackage) ? inPackage : join(directory, name);
}
