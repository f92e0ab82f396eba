import type { WrittenConfiguration } from '../../inspect/written-servers.js';
import { toolTokens } from '../../results/tool-tokens.js';
import { instructions } from '../../session/introduction/instructions.js';
import { metaTools } from '../../session/introduction/meta-tools.js';
import { estimateTokens } from '../../text/estimate-tokens.js';

/** What a model reads at the start of a session: the instructions and two tools. */
export function startTokens({ path, file }: WrittenConfiguration): number {
  const overview = {
    configFile: path,
    toolboxes: Array.from(file.toolboxes, ([name, { description, mcpServers }]) => ({
      name,
      description,
      servers: [...mcpServers].filter(([, { disabled = false }]) => !disabled).map(([server]) => server),
    })),
  };
  const tools = metaTools(overview).reduce((sum, tool) => sum + toolTokens(tool), 0);
  return estimateTokens(instructions(overview)) + tools;
}
