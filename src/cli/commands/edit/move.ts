import type { ConfigurationEdit } from '../../../setup/edit/configuration-edit.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import type { ExitCode } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { editableConfiguration } from './editable-configuration.js';
import { misspelledToolbox, uselessDescription } from './new-toolbox.js';
import { writeEdits } from './write-edits.js';

/** `mcp-workbench move TOOLBOX SERVER TOOLBOX2` */
export async function runMove(call: Call): Promise<ExitCode> {
  const { words, value, output } = call;
  const [toolbox = '', server = '', to = ''] = words;
  const { path, toolboxes } = await editableConfiguration(call);
  findAddress([toolbox, server], toolboxes, 'move', sameConfig(call));
  const description = value('description');
  const target = toolboxes.get(to);
  const problem =
    target === undefined
      ? misspelledToolbox(
          'move',
          to,
          call,
          [...toolboxes.keys()].filter((name) => name !== toolbox),
        )
      : description !== undefined && uselessDescription('move', to, call);
  if (problem) return output.fail(usageFailure(problem));
  const isLast = toolboxes.get(toolbox)?.mcpServers.size === 1;
  const edits: ConfigurationEdit[] = [{ kind: 'move server', toolbox, server, to }];
  if (target === undefined) edits.unshift({ kind: 'add toolbox', toolbox: to, description });
  return writeEdits(
    call,
    { path, edits },
    {
      command: ['move', toolbox, server, to],
      done: `moved to ${to}${isLast ? `; ${toolbox}, which was left empty, is gone` : ''}`,
      facts: { toolbox, server, to, toolboxRemoved: isLast },
    },
  );
}
