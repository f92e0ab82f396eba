// Bundles the source into a few ES modules in one folder, so that `new URL('./getting-started.js', import.meta.url)` works in each of them.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));

const shebang = '#!/usr/bin/env node\n';
// CommonJS inside the bundle (cross-spawn) loads Node's own modules with `require`, which an ES module does not have. This gives
// the same modules, and needs no module of its own to be loaded first.
const requireBanner = 'const require=process.getBuiltinModule;\n';

const programs = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  'getting-started': 'src/getting-started/main.ts',
  host: 'src/serve/host/process/main.ts',
};

/**
 * Parts of the command that are loaded on demand. Each is bundled by itself: code splitting would move shared code into
 * more files, and every file costs time at the start. So no part may depend on an instance of a class from another part.
 */
const parts = {
  engine: 'src/compose.ts',
  relay: 'src/serve/host/front/host-links.ts',
  'front-log': 'src/serve/host/front/front-log.ts',
  'config-reader': 'src/config/read/parse.ts',
  'config-assembly': 'src/config/resolve/assemble.ts',
  'config-vetting': 'src/config/trust/vetting.ts',
  'live-reload': 'src/session/configuration/follow-configuration.ts',
  commands: 'src/cli/frame/command-line/run-command.ts',
  'command-status': 'src/cli/commands/list/status.ts',
  'command-list': 'src/cli/commands/list/list.ts',
  'command-tools': 'src/cli/commands/tools/tools.ts',
  'command-logs': 'src/cli/commands/logs/logs.ts',
  'command-ps': 'src/cli/commands/list/ps.ts',
  'command-stop': 'src/cli/commands/stop.ts',
  'command-validate': 'src/cli/commands/validate.ts',
  'command-completion': 'src/cli/commands/completion/completion.ts',
  'command-schema': 'src/cli/commands/schema.ts',
  'command-call': 'src/cli/commands/call/call.ts',
  'command-page': 'src/cli/commands/page/page.ts',
  'command-doctor': 'src/cli/commands/doctor/doctor.ts',
  'command-trust': 'src/cli/commands/trust/trust.ts',
  'command-untrust': 'src/cli/commands/trust/untrust.ts',
  'command-approve': 'src/cli/commands/approve/approve.ts',
  'command-auth': 'src/cli/commands/auth/auth.ts',
  'command-connect': 'src/cli/commands/client-commands.ts',
  'client-checks': 'src/cli/commands/clients/check-clients.ts',
  'client-summary': 'src/cli/state/client-summary.ts',
  'unified-diff': 'src/cli/commands/clients/unified-diff.ts',
  'input-check': 'src/session/meta-tools/input-check.ts',
  'command-problem': 'src/downstream/stdio/command-problem.ts',
  'output-summary': 'src/downstream/stdio/dumps/summarize-output.ts',
  'windows-spawn': 'src/downstream/stdio/windows-spawn.ts',
  http: 'src/downstream/http/wire.ts',
  logins: 'src/downstream/oauth/logins.ts',
  'env-command': 'src/downstream/env-command/read-output.ts',
  'runner-check': 'src/downstream/stdio/runners/check-runners.ts',
  'open-answer': 'src/workbench/opening/open-answer.ts',
  'login-question': 'src/workbench/asking/ask-to-log-in.ts',
  'call-approvals': 'src/workbench/rules/call-approvals.ts',
  'tool-search': 'src/workbench/search/tool-search.ts',
  violations: 'src/workbench/calls/violations.ts',
  status: 'src/observe/status/serve-status.ts',
};

/** What the browser loads for `mcp-workbench page`. */
const pageFolder = 'src/page/browser';
const pageFiles = { js: 'main.ts', css: 'page.css', html: 'page.html', svg: 'icon.svg' };

/**
 * The file names of parts contain a hash of all parts. A workbench whose package is replaced while it runs fails to load the
 * old name and reports it; it never loads a part of another version. This placeholder is replaced once all parts are built
 * and the hash is known.
 */
const hashPlaceholder = '__PARTS__';

const partsApart = {
  name: 'parts-apart',
  setup({ onResolve }) {
    const names = new Map(Object.entries(parts).map(([name, path]) => [join(root, path), name]));
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      const name = kind === 'dynamic-import' && names.get(join(resolveDir, path.replace(/\.js$/, '.ts')));
      return name ? { path: `./${name}-${hashPlaceholder}.js`, external: true } : undefined;
    });
  },
};

/**
 * Loads Node's own modules with `require`. An `import` copies all exports of the module, which for `node:fs` alone loads half
 * of the streams. Only the exports that are used stay in the bundle.
 */
const builtinsRequired = {
  name: 'builtins-required',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin', sideEffects: false } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      return { contents: [`const builtin = require('${path}');`, 'export default builtin;', ...exports].join('\n') };
    });
  },
};

/** The SDK's client brings a validator of JSON Schemas, half of its size. Its transports do not use it. */
const withoutValidator = {
  name: 'without-validator',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, ({ path }) => ({
      path,
      namespace: 'no-validator',
    }));
    onLoad({ filter: /.*/, namespace: 'no-validator' }, () => ({
      contents: 'export class DefaultJsonSchemaValidator {}; export const CORS_IS_POSSIBLE = false;',
    }));
  },
};

/**
 * The files of the bundle, `[name, text]` each, and esbuild's metafiles. Each program is bundled by itself: code splitting
 * would move shared code into many small files, and every file costs time at the start.
 */
export async function bundle({ minify, version }) {
  const define = {
    __VERSION__: JSON.stringify(version ?? (await packageVersion())),
    __BUILD__: JSON.stringify(hashPlaceholder),
    __PAGE__: JSON.stringify(`page-${hashPlaceholder}`),
  };
  const partEntries = Object.entries(parts).map(([name, path]) => [`${name}-${hashPlaceholder}`, path]);
  const built = await Promise.all([
    ...[...Object.entries(programs), ...partEntries].map((entry) => build(Object.fromEntries([entry]), define, minify)),
    buildPage(minify),
  ]);
  await esbuild.stop();
  const outputs = built.flatMap(({ outputFiles }) => outputFiles).map(({ path, text }) => [basename(path), text]);
  // Named like the others of the page, and as they are written.
  for (const ending of ['html', 'svg'])
    outputs.push([
      `page-${hashPlaceholder}.${ending}`,
      await readFile(join(root, pageFolder, pageFiles[ending]), 'utf8'),
    ]);
  const hash = hashOf(outputs.filter(([name]) => name.includes(hashPlaceholder)));
  const files = outputs.map(([name, text]) => {
    const finalName = name.replace(hashPlaceholder, hash);
    return [finalName, finish(finalName, text.replaceAll(hashPlaceholder, hash))];
  });
  return { files, metafiles: built.map(({ metafile }) => metafile) };
}

async function packageVersion() {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
}

function hashOf(outputs) {
  return createHash('sha256').update(JSON.stringify(outputs)).digest('hex').slice(0, 8);
}

function build(entryPoint, define, minify) {
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: entryPoint,
    outdir: 'dist',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    plugins: [partsApart, builtinsRequired, withoutValidator],
    define,
    legalComments: 'none',
    charset: 'utf8',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
}

/** The script and the style of the page, for browsers of the last two years. */
function buildPage(minify) {
  const name = `page-${hashPlaceholder}`;
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: [
      // Not named like a part: it is not one of the program.
      { in: join(pageFolder, pageFiles.js), out: `${name}.browser` },
      { in: join(pageFolder, pageFiles.css), out: name },
    ],
    outdir: 'dist',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    legalComments: 'none',
    charset: 'utf8',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
}

function finish(name, text) {
  const code = text.replace(/^#!.*\n/, '');
  // The error text of esbuild's substitute for `require`: only files that contain the substitute need the real one.
  const banner = code.includes('Dynamic require of "') ? requireBanner : '';
  return (name === 'main.js' ? shebang : '') + banner + code;
}
