import { expect, test } from 'vitest';
import { inheritedBy, kindOf } from './known-packages.js';

const npx = (...words: string[]) => ({ command: 'npx', args: ['-y', ...words] });

test.each([
  [npx('@playwright/mcp@latest'), 'web'],
  [{ command: 'uvx', args: ['mcp-server-fetch==1.2'] }, 'web'],
  [{ command: 'docker', args: ['run', '-i', '--rm', 'mcp/postgres:1.0', 'postgres://x'] }, 'data'],
  [{ command: '/home/me/.local/bin/mcp-server-sqlite', args: ['--db', 'x'] }, 'data'],
  [{ url: 'https://mcp.tavily.com/mcp' }, 'web'],
  [npx('@modelcontextprotocol/server-memory'), undefined],
  [{ url: 'https://example.com/' }, undefined],
])('%j belongs to %s', (entry, kind) => {
  expect(kindOf(entry)).toBe(kind);
});

test.each([
  [npx('tavily-mcp'), ['TAVILY_API_KEY']],
  [{ ...npx('tavily-mcp'), env: { TAVILY_API_KEY: 'x' } }, []],
  [{ ...npx('tavily-mcp'), env_vars: ['TAVILY_API_KEY'] }, []],
  [{ ...npx('@notionhq/notion-mcp-server'), env: { OPENAPI_MCP_HEADERS: '{}' } }, []],
  [npx('figma-developer-mcp', '--figma-api-key=x'), []],
  [{ command: 'docker', args: ['run', '-e', 'A', '--env', 'B=1', '--env=C', 'some/image', '-e', 'D'] }, ['A', 'C']],
  [{ command: 'docker', args: ['run', '-e', 'A', 'some/image'], env: { A: 'x' } }, []],
  [{ command: 'node', args: ['-e', 'A'] }, []],
])('%j takes %j from its environment', (entry, names) => {
  expect(inheritedBy(entry)).toEqual(names);
});
