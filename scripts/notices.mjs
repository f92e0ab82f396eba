// The licences of bundled packages must be distributed with the bundle.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The text of THIRD-PARTY-NOTICES.txt: every package with at least one byte in the output, in order of name. */
export async function thirdPartyNotices(root, metafiles) {
  const sections = await Promise.all(bundledPackages(metafiles).map((folder) => section(join(root, folder))));
  const intro = 'MCP Workbench contains code of the following packages.\n';
  return [intro, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

function bundledPackages(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const used = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0));
  const folders = used.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  return [...new Set(folders)].sort((one, other) => (one < other ? -1 : 1));
}

async function section(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  // Some packages name their licence but do not include its text.
  if (texts.length === 0 && license === 'MIT' && author !== undefined) texts.push(mitLicence(author.name ?? author));
  if (texts.length === 0) throw new Error(`${name} is in the bundle, but has no licence file`);
  return `${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`;
}

function mitLicence(author) {
  return `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
