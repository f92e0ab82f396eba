import { expect, test } from 'vitest';
import { RpcError } from './failures.js';

test.each([
  ['MCP error -32602: Unknown tool: x', 'Unknown tool: x'],
  ['MCP error -32602: MCP error -32602: Unknown tool: x', 'Unknown tool: x'],
  ['-32602: Unknown tool: x', 'Unknown tool: x'],
  ['MCP error -32000: Connection closed', 'MCP error -32000: Connection closed'],
  ['Unknown tool: MCP error -32602: x', 'Unknown tool: MCP error -32602: x'],
  ['MCP error -32602: '.repeat(600), ''],
])('the code of an error is said once: %j', (message, shown) => {
  expect(new RpcError({ code: -32_602, message }).message).toBe(`the server answered with error -32602: ${shown}`);
});
