import { readFileSync } from 'node:fs';
import type { Tool } from '../../src/contract/types.js';

// everything, filesystem, memory, github (modelcontextprotocol/servers) and context7 (upstash) are MIT. circleci
// (CircleCI-Public/mcp-server-circleci 0.19.0) is under the Apache License 2.0; chart, commander, slides and railway are from
// icip-cas/LiveMCPBench, under the same.
type Server =
  | 'everything'
  | 'filesystem'
  | 'memory'
  | 'github'
  | 'context7'
  | 'circleci'
  | 'chart'
  | 'commander'
  | 'slides'
  | 'railway';

/** Tools as real servers list them, by server. */
export const realTools: Readonly<Record<Server, readonly Tool[]>> = JSON.parse(
  readFileSync(new URL('../fixtures/real-tools.json', import.meta.url), 'utf8'),
);

export function realTool(server: keyof typeof realTools, name: string): Tool {
  const tool = realTools[server].find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${server} has no tool ${name}`);
  return tool;
}
