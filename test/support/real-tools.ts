import { readFileSync } from 'node:fs';
import type { Tool } from '../../src/contract/types.js';

type Reference = 'everything' | 'filesystem' | 'memory';
type Other = 'github' | 'context7' | 'circleci' | 'chart' | 'commander' | 'slides' | 'railway';

/**
 * Tools as real servers list them, by server. Those of modelcontextprotocol/servers and context7 are under the MIT License; circleci (of
 * CircleCI-Public/mcp-server-circleci 0.19.0) and chart, commander, slides and railway (of icip-cas/LiveMCPBench) are under the
 * Apache License 2.0.
 */
export const listedTools: Readonly<Record<Reference | Other, readonly Tool[]>> = JSON.parse(
  readFileSync(new URL('../fixtures/real-tools.json', import.meta.url), 'utf8'),
);

const { everything, filesystem, memory } = listedTools;

/** Those of the reference servers. */
export const realTools: Readonly<Record<Reference, readonly Tool[]>> = { everything, filesystem, memory };

export function realTool(server: Reference, name: string): Tool {
  const tool = realTools[server].find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${server} has no tool ${name}`);
  return tool;
}
