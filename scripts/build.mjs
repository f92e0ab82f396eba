// Writes dist/: the command, the library, the parts loaded on first use, the declarations and the licences of bundled packages.
import { join } from 'node:path';
import { bundle, root } from './bundle.mjs';
import { declarations } from './declarations.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { writeFolder } from './write-folder.mjs';

try {
  const [{ files, metafiles }, types] = await Promise.all([bundle({ minify: true }), declarations(root)]);
  await writeFolder(join(root, 'dist'), [
    ...files,
    ...types.map(([path, text]) => [join('types', path), text]),
    [join('types', 'package.json'), '{"type":"module"}\n'],
    ['THIRD-PARTY-NOTICES.txt', await thirdPartyNotices(root, metafiles)],
  ]);
} catch (error) {
  // esbuild has already printed its own errors, with their lines.
  process.stderr.write(`build failed: ${error.errors ? 'see the errors above' : error.message}\n`);
  process.exitCode = 1;
}
