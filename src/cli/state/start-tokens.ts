import { toolTokens } from '../../results/tool-tokens.js';
import { instructions } from '../../session/introduction/instructions.js';
import { metaTools } from '../../session/introduction/meta-tools.js';
import { estimateTokens } from '../../text/estimate-tokens.js';
import type { Configured } from '../frame/configured.js';

/** What a model reads at the start of a session: the instructions and two tools. */
export function startTokens({ path, toolboxes }: Configured): number {
  const overview = {
    configFile: path,
    toolboxes: Array.from(toolboxes, ([name, { description, mcpServers }]) => ({
      name,
      description,
      servers: [...mcpServers].filter(([, { disabled = false }]) => !disabled).map(([server]) => server),
    })),
  };
  const tools = metaTools(overview).reduce((sum, tool) => sum + toolTokens(tool), 0);
  return estimateTokens(instructions(overview)) + tools;
}
