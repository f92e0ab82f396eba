import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../frame/command.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';

/** `mcp-workbench schema`: the JSON Schema of the configuration file, from the package. */
export async function runSchema({ output }: Call): Promise<ExitCode> {
  // Relative to the bundle, `dist/`.
  const text = readFileSync(join(import.meta.dirname, '../schema/workbench-config.schema.json'), 'utf8');
  const schema: unknown = JSON.parse(text);
  output.document({ schema });
  output.print(text.trimEnd());
  return exitCodes.well;
}
