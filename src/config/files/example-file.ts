/** For messages about a file that is missing or empty. */
export const exampleFile =
  'Example: { "toolboxes": { "dev": { "description": "Files of my project", "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } } } }';
