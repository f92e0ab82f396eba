// Serves workbench-config.test.json over stdio, from the source. stdout belongs to the protocol, so everything else goes to stderr.
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
    `This serves MCP on stdin and stdout. To use it, configure this command in your MCP client: ${command}\n`,
  );
}

// In this process, so that signals, stdin and the exit code are those of the program.
process.chdir(root);
const main = join(folder, 'main.js');
const given = process.argv.slice(2);
const config = ['--config', join(root, 'workbench-config.test.json')];
process.argv = [process.execPath, main, ...(given.length > 0 ? given : config)];
await import(pathToFileURL(main).href);
