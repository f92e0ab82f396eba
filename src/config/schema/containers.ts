/** The keys under which clients keep their servers, ours first. */
export const containerKeys = ['mcpServers', 'servers', 'context_servers', 'mcp', 'mcp.servers', 'mcp_servers'] as const;
