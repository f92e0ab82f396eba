import path from 'node:path';
import { fileName } from '../../config/files/find.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { loadPart } from '../../platform/load-part.js';
import { version } from '../../platform/version.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import type { Output } from '../frame/screen/output.js';
import { shortPath } from '../frame/screen/short-path.js';

/** The first screen: the servers that clients have, or where the configuration goes. */
export async function noConfiguration(computer: Computer, output: Output): Promise<ExitCode> {
  const file = path.join(configDirectoryOf(computer), fileName);
  const { summarizeServers } = await loadPart(() => import('./client-summary.js'));
  const { count, line } = summarizeServers(computer);
  output.document({ workbench: version, config: null, toolboxes: [], expected: file, found: count });
  output.print(`MCP Workbench ${version}   no configuration yet\n`);
  if (line === undefined) {
    output.print(`  Write one: ${shortPath(file, computer.home)}`);
    output.print("  Until then clients get the toolbox 'getting-started', which explains it.");
  } else output.print(`  ${line}`);
  if (output.width !== undefined) output.print('');
  output.next(
    line === undefined
      ? ['mcp-workbench schema', 'mcp-workbench help']
      : ['mcp-workbench init             bring them together (asks before it writes)', 'mcp-workbench init --dry-run'],
  );
  return exitCodes.well;
}
