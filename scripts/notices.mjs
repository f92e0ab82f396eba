// The licences of the packages whose code is in the bundle ask to be passed on with it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The text of THIRD-PARTY-NOTICES.txt: every package with at least one byte in the output, in order of name. */
export async function thirdPartyNotices(root, metafile) {
  const sections = await Promise.all(bundledPackages(metafile).map((folder) => section(join(root, folder))));
  const intro = 'MCP Workbench contains code of the following packages.\n';
  return [intro, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

function bundledPackages(metafile) {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
  const folders = used.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

async function section(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} is in the bundle, but has no licence file to pass on`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`;
}
