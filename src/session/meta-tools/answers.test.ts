import { expect, test } from 'vitest';
import { WorkbenchError } from '../../contract/errors.js';
import { silentLog } from '../../platform/log.js';
import type { ToolResult } from '../../results/tool-result.js';
import { answer } from './answers.js';
import { parseUse } from './input.js';

const textFor = async (error: Error) => {
  const logged: string[] = [];
  const log = { ...silentLog, error: (message: string) => logged.push(message) };
  const result = (await answer(log, Promise.reject<ToolResult>(error))).value();
  return { result, logged };
};

test('a WorkbenchError becomes its message and its hint', async () => {
  const { result } = await textFor(new WorkbenchError('TOOL_NOT_FOUND', "Tool 'x' not found", { hint: 'Try y.' }));
  expect(result).toEqual({
    content: [{ type: 'text', text: "Tool 'x' not found. Try y." }],
    isError: true,
    _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' },
  });
});

test('the details of an unexpected error go to the log, not to the agent', async () => {
  const { result, logged } = await textFor(new TypeError('secret detail'));
  expect(JSON.stringify(result)).not.toContain('secret detail');
  expect(logged.join()).toContain('secret detail');
});

test('the old spelling of use_tool is answered with the corrected call', async () => {
  const old = { tool: { toolbox: 'dev', server: 'fs', tool: 'read' }, arguments: { path: '/' } };
  await expect(parseUse(old, { toolboxes: [], toolsNamed: async () => [] })).rejects.toThrow(
    expect.objectContaining({
      message: "Invalid parameters: tool.name: Required; tool: Unrecognized key(s) in object: 'tool'",
      hint: `The field 'tool' is now 'name'. Call use_tool({"tool":{"toolbox":"dev","server":"fs","name":"read"},"arguments":{"path":"/"}}).`,
    }),
  );
});

test('no text exceeds the limit of clients, and the hint is never truncated', async () => {
  for (const hint of [undefined, 'Do this next.', 'x'.repeat(5_000)]) {
    const { result } = await textFor(new WorkbenchError('CALL_FAILED', 'y'.repeat(50_000), { ...(hint && { hint }) }));
    const text = String(result.content?.[0]?.['text']);
    expect(text.length).toBeLessThan(2_000);
    if (hint === 'Do this next.') expect(text.endsWith(hint)).toBe(true);
  }
});
