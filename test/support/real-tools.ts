import { readFileSync } from 'node:fs';
import type { Tool } from '../../src/contract/types.js';

/** Tools as the reference servers list them, by server. */
export const realTools: Readonly<Record<'everything' | 'filesystem' | 'memory', readonly Tool[]>> = JSON.parse(
  readFileSync(new URL('../fixtures/real-tools.json', import.meta.url), 'utf8'),
);

export function realTool(server: keyof typeof realTools, name: string): Tool {
  const tool = realTools[server].find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${server} has no tool ${name}`);
  return tool;
}
