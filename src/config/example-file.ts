/** What to write into a file that is missing or empty. */
export const exampleFile =
  'Write for example: { "toolboxes": { "dev": { "description": "Files of my project", "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } } } }';
