import path from 'node:path';
import { fileName } from '../../config/files/find.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { loadPart } from '../../platform/load-part.js';
import { version } from '../../platform/version.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import type { Output } from '../frame/screen/output.js';
import { shortPath } from '../frame/screen/short-path.js';

/** A first server, for a machine on which no client has one. */
export const addExample = 'mcp-workbench add dev files -- npx -y @modelcontextprotocol/server-filesystem .';

/** The first screen: the servers that clients have, or where the configuration goes. */
export async function noConfiguration(computer: Computer, output: Output): Promise<ExitCode> {
  const file = path.join(configDirectoryOf(computer), fileName);
  const { summarizeServers } = await loadPart(() => import('./found-servers.js'));
  const { count, line } = summarizeServers(computer);
  output.document({ workbench: version, config: null, toolboxes: [], expected: file, found: count });
  output.printText(`MCP Workbench ${version}   no configuration yet\n`);
  if (line === undefined) {
    output.printText(`  No client has a server yet. The configuration will be in\n  ${shortPath(file, computer.home)}`);
    output.printText("  Until then clients get the toolbox 'getting-started', which explains it.");
  } else output.printText(`  ${line}`);
  if (output.width !== undefined) output.printText('');
  output.next(
    line === undefined
      ? [addExample, 'mcp-workbench help']
      : ['mcp-workbench init             bring them together (asks before it writes)', 'mcp-workbench init --dry-run'],
  );
  return exitCodes.ok;
}
