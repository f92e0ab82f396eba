import path from 'node:path';
import { fileName } from '../config/find.js';
import type { Computer } from '../platform/computer.js';
import { configDirectoryOf } from '../platform/directories.js';
import { version } from '../platform/version.js';
import { type ExitCode, exitCodes } from './screen/exit-codes.js';
import type { Output } from './screen/output.js';
import { shortPath } from './screen/short-path.js';

/** The first screen: where the configuration goes. */
export function noConfiguration(computer: Computer, output: Output): ExitCode {
  const file = path.join(configDirectoryOf(computer), fileName);
  output.document({ workbench: version, config: null, toolboxes: [], expected: file });
  output.print(`MCP Workbench ${version}   no configuration yet\n`);
  output.print(`  Write one: ${shortPath(file, computer.home)}`);
  output.print("  Until then clients get the toolbox 'getting-started', which explains it.");
  if (output.width !== undefined) output.print('');
  output.next(['mcp-workbench schema', 'mcp-workbench help']);
  return exitCodes.well;
}
