import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { editableConfiguration } from './editable-configuration.js';
import { writeEdits } from './write-edits.js';

/** `mcp-workbench enable TOOLBOX SERVER` */
export function enable(call: Call): Promise<ExitCode> {
  return switchServer(call, false);
}

/** `mcp-workbench disable TOOLBOX SERVER` */
export function disable(call: Call): Promise<ExitCode> {
  return switchServer(call, true);
}

async function switchServer(call: Call, disabled: boolean): Promise<ExitCode> {
  const { words, output } = call;
  const command = disabled ? 'disable' : 'enable';
  const { path, toolboxes } = await editableConfiguration(call);
  const { server: found } = findAddress(words, toolboxes, command, sameConfig(call));
  const [toolbox = '', server = ''] = words;
  const place = { toolbox, server };
  if ((found?.entry.disabled ?? false) === disabled) {
    output.document({ command, config: path, ...place, disabled, written: false });
    output.print(`${output.mark('well')} ${toolbox} ${server}   is ${command}d already.`);
    return exitCodes.ok;
  }
  // Other clients write the opposite.
  const unset = { kind: 'set key', ...place, key: 'enabled', value: undefined } as const;
  const set = { kind: 'set key', ...place, key: 'disabled', value: disabled ? true : undefined } as const;
  const report = { command: [command, toolbox, server], done: `${command}d`, facts: { ...place, disabled } };
  return writeEdits(call, { path, edits: [unset, set] }, report);
}
