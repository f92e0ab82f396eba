import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { harmlessClone, hostileClones, worstClone } from '../support/clones.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { startRegistry } from '../support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../support/npx-servers.js';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const file = (name: string) => join(modules, name);
const pnpm10Version = '10.34.9';
// The one that this corepack takes for `yarn dlx` outside of a project, with its digest.
const corepackYarn = /"(4\.[\d.]+)\+sha224\.[\da-f]+"/;

/** With the traps that are meant for it. */
const runners: Record<string, { readonly words: readonly string[]; readonly traps?: RegExp }> = {
  'pnpm 9': { words: [file('pnpm-9/bin/pnpm.cjs'), 'dlx', '@x/server'], traps: /pnpm|registry for its/ },
  'pnpm 10': { words: [file('pnpm-10/bin/pnpm.cjs'), 'dlx', '@x/server@1.0.0', '--name', 'a b'], traps: /pnpm/ },
  'pnpm 12': { words: [file('@pnpm/exe.linux-x64/pnpm'), 'dlx', '@x/server'], traps: /pnpm|programs that/ },
  'pnpx 9': { words: [file('pnpm-9/bin/pnpx.cjs'), '@x/server'] },
  'pnpx 10': { words: [file('pnpm-10/bin/pnpx.cjs'), '--package=@x/server', 'server'] },
  'pnpm behind corepack': { words: [file('.bin/corepack'), 'pnpm', 'dlx', '@x/server'], traps: /corepack/ },
  'yarn 4': { words: ['node', file('@yarnpkg/cli-dist/bin/yarn.js'), 'dlx', '-q', '@x/server'], traps: /Yarn/ },
  'yarn behind corepack': { words: [file('.bin/corepack'), 'yarn', 'dlx', '@x/server'], traps: /corepack/ },
  bunx: { words: [file('.bin/bunx'), '@x/server'], traps: /Bun|programs that/ },
  'bun x in a script': { words: ['sh', '-c', `exec '${file('.bin/bun')}' x --package @x/server server --name 'a b'`] },
  deno: { words: [file('@deno/linux-x64-glibc/deno'), 'run', '-A', 'npm:@x/server'], traps: /Deno|registry for its/ },
};

/** A home whose registry is that of the test, with a pnpm and a yarn for corepack. */
function makeHome(registry: string): string {
  const home = realpathSync(temporaryDirectory());
  writeFileSync(join(home, '.npmrc'), `registry=${registry}/\n`);
  const pnpm = { pnpm: './bin/pnpm.cjs', pnpx: './bin/pnpx.cjs' };
  cpSync(file('pnpm-10'), corepackDirectory(home, 'pnpm', pnpm10Version, pnpm), { recursive: true });
  const [, yarnVersion = ''] = corepackYarn.exec(readFileSync(file('corepack/dist/lib/corepack.cjs'), 'utf8')) ?? [];
  const yarn = corepackDirectory(home, 'yarn', yarnVersion, ['yarn', 'yarnpkg']);
  cpSync(file('@yarnpkg/cli-dist/bin/yarn.js'), join(yarn, 'yarn.js'));
  writeFileSync(join(home, 'corepack', 'lastKnownGood.json'), JSON.stringify({ pnpm: pnpm10Version }));
  return home;
}

/** Where corepack keeps a package manager that it has installed. */
function corepackDirectory(home: string, name: string, reference: string, bin: object): string {
  const directory = join(home, 'corepack', 'v1', name, reference);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, '.corepack'), JSON.stringify({ locator: { name, reference }, bin, hash: 'sha512.0' }));
  return directory;
}

test.each(Object.entries(runners))(
  '%s runs the published package in the directory of a hostile clone, and nothing of the clone',
  async (_, { words: [command = '', ...args], traps }) => {
    const registry = await startRegistry(serverPackage('@x/server'));
    const evil = await startRegistry();
    const home = makeHome(registry.url);
    const clones = Object.entries({
      'every trap': worstClone(evil.url),
      'no trap': harmlessClone(),
      ...Object.fromEntries(Object.entries(hostileClones(evil.url)).filter(([name]) => traps?.test(name) ?? false)),
    });
    const { env, starts } = createNpxEntries(registry);
    const variables = {
      ...env,
      NPM_CONFIG_REGISTRY: registry.url,
      YARN_NPM_REGISTRY_SERVER: registry.url,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_ENABLE_TELEMETRY: '0',
      YARN_NPM_MINIMAL_AGE_GATE: '0',
      COREPACK_HOME: join(home, 'corepack'),
      COREPACK_DEFAULT_TO_LATEST: '0',
    };
    const servers = clones.map(([name, { root, trace }]): [string, ServerEntry] => [
      name,
      { command, args, env: { ...variables, EVIL: trace }, cwd: root },
    ]);
    const config = devToolbox(Object.fromEntries(servers));
    const agent = await connectAgent('v2 legacy', { config, env: { HOME: home } });
    for (const [name, clone] of clones) {
      expect([name, text(await agent.use('dev', name, 'cwd'))]).toEqual([name, clone.root]);
      expect([name, clone.isHijacked]).toEqual([name, false]);
      expect(starts().at(-1)).toMatchObject({
        cwd: clone.root,
        env: { PATH: expect.not.stringContaining(clone.root) },
      });
    }
    expect(evil.requests).toEqual([]);
  },
);
