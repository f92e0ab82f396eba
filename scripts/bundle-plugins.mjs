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

/** The SDK's client brings a validator of JSON Schemas, half of its size. Its transports do not use it. */
export const withoutValidator = {
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
