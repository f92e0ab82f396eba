// Serves workbench-config.test.json over stdio, straight from the sources. stdout belongs to the protocol, so everything else goes to stderr.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, root } from './bundle.mjs';
import { writeFolder } from './write-folder.mjs';

const folder = join(root, '.cache', 'dev');
const { files } = await bundle({ minify: false });
await writeFolder(folder, files);

if (process.stdin.isTTY) {
  const command = `node ${join(root, 'scripts', 'dev.mjs')}`;
  process.stderr.write(
    `This speaks MCP on stdin and stdout. To use it, give your MCP client the command: ${command}\n`,
  );
}

// In this very process, so that signals, stdin and the exit code are the program's own.
process.chdir(root);
const main = join(folder, 'main.js');
const given = process.argv.slice(2);
process.argv = [process.execPath, main, ...(given.length > 0 ? given : ['--config', 'workbench-config.test.json'])];
await import(pathToFileURL(main).href);
