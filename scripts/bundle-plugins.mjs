import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** What esbuild is given as the entry of a part: a module with the exports of all its modules. */
export const entryOf = (part) => `part:${part}`;

/**
 * Resolves `import()` of a module to the part that it is in, and so every import of a module of `borrowed`. `nameOf`: the file name
 * of a part, by its name.
 */
export function partsApart({ root, parts, nameOf, borrowed }) {
  const partOf = new Map(Object.entries(parts).flatMap(([part, files]) => files.map((file) => [file, part])));
  return {
    name: 'parts-apart',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: 'part' }));
      onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
        contents: parts[path.replace('part:', '')].map((file) => `export * from './${file}';`).join('\n'),
        resolveDir: root,
      }));
      onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const file = relative(root, join(resolveDir, path.replace(/\.js$/, '.ts'))).replaceAll('\\', '/');
        if (kind !== 'dynamic-import' && !borrowed.includes(file)) return undefined;
        const part = partOf.get(file);
        // It would become a copy inside of the part that imports it.
        if (part === undefined) return { errors: [{ text: `${file} is in no part: add it to scripts/parts.mjs` }] };
        return { path: `./${nameOf(part)}.js`, external: true };
      });
    },
  };
}

/**
 * Loads Node's own modules with `require`. An `import` copies all exports of the module, which for `node:fs` alone loads half
 * of the streams. Only the exports that are used stay in the bundle.
 */
export const builtinsRequired = {
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

/** The modules of the SDK's client that logins use, by their names in its bundles. */
const loginModules = [
  'src/client/auth.ts',
  'src/client/authErrors.ts',
  'src/client/authExtensions.ts',
  'src/shimsNode.ts',
  'core-internal/src/auth/errors.ts',
  'core-internal/src/errors/crossBundleBrand.ts',
  'core-internal/src/errors/sdkErrors.ts',
  'core-internal/src/shared/authUtils.ts',
  'core-internal/src/shared/transport.ts',
];

/** In the place of everything else of the SDK. The bundle must not contain it. */
export const missingOfSdk = 'missingOfSdk';

/**
 * Keeps only what logins use of the SDK's client: its protocol, schemas and validator are three quarters of it, and the bundler
 * cannot know that making them has no effect. A name of another module that is used after all stays in the bundle as a call of
 * `missingOfSdk`.
 */
export const onlyLoginsOfSdk = {
  name: 'only-logins-of-sdk',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol.client.dist.*\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(/^\/\/#region (.*)$([^]*?)^\/\/#endregion$/gm, (region, file, code) => {
        if (loginModules.some((kept) => file.endsWith(kept))) return region;
        const names = code.matchAll(/^(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)/gm);
        return Array.from(names, ([, name]) => `const ${name} = /* @__PURE__ */ ${missingOfSdk}("${name}");`).join(
          '\n',
        );
      });
      return { contents, loader: 'js' };
    });
  },
};
