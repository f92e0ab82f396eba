import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import type { ExitCode } from '../../frame/screen/exit-codes.js';
import { editableConfiguration } from './editable-configuration.js';
import { writeEdits } from './write-edits.js';

/** `mcp-workbench remove TOOLBOX SERVER` */
export async function runRemove(call: Call): Promise<ExitCode> {
  const { path, toolboxes } = await editableConfiguration(call);
  const { words } = call;
  findAddress(words, toolboxes, 'remove', sameConfig(call));
  const [toolbox = '', server = ''] = words;
  const isLast = toolboxes.get(toolbox)?.mcpServers.size === 1;
  const change = { path, edits: [{ kind: 'remove server', toolbox, server }] } as const;
  return writeEdits(call, change, {
    command: ['remove', toolbox, server],
    done: isLast ? 'removed, and its toolbox with it: it was the last server there' : 'removed',
    facts: { toolbox, server, toolboxRemoved: isLast },
  });
}
