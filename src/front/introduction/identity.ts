import { version } from '../../platform/version.js';

/** How the workbench presents itself, whoever answers: the door or the SDK. */
export const serverInfo = { name: 'mcp-workbench', title: 'MCP Workbench', version };
export const capabilities = { tools: {}, resources: {} };

// A configuration edit changes what is listed, so clients may keep it for a minute only.
export const cacheHint = { ttlMs: 60_000, cacheScope: 'private' } as const;
