import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
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

/** With the traps that are meant for it. */
const runners: Record<string, { readonly words: readonly string[]; readonly traps?: RegExp }> = {
  'pnpm 9': { words: [file('pnpm-9/bin/pnpm.cjs'), 'dlx', '@x/server'], traps: /pnpm|registry for its/ },
  'pnpm 10': { words: [file('pnpm-10/bin/pnpm.cjs'), 'dlx', '@x/server@1.0.0', '--name', 'a b'], traps: /pnpm/ },
  'pnpm 12': { words: [file('@pnpm/exe.linux-x64/pnpm'), 'dlx', '@x/server'], traps: /pnpm|programs that/ },
  'pnpx 10': { words: [file('pnpm-10/bin/pnpx.cjs'), '--package=@x/server', 'server'] },
  'pnpm behind corepack': { words: [file('.bin/corepack'), 'pnpm', 'dlx', '@x/server'], traps: /corepack/ },
  'yarn 4': { words: ['node', file('@yarnpkg/cli-dist/bin/yarn.js'), 'dlx', '-q', '@x/server'], traps: /Yarn/ },
  bunx: { words: [file('.bin/bunx'), '@x/server'], traps: /Bun|programs that/ },
  'bun x in a script': { words: ['sh', '-c', `exec '${file('.bin/bun')}' x --package @x/server server --name 'a b'`] },
  deno: { words: [file('@deno/linux-x64-glibc/deno'), 'run', '-A', 'npm:@x/server'], traps: /Deno|registry for its/ },
};

/** A home whose registry is that of the test, with a pnpm for corepack. */
function makeHome(registry: string): string {
  const home = realpathSync(temporaryDirectory());
  writeFileSync(join(home, '.npmrc'), `registry=${registry}/\n`);
  const installed = join(home, 'corepack', 'v1', 'pnpm', pnpm10Version);
  mkdirSync(installed, { recursive: true });
  cpSync(file('pnpm-10'), installed, { recursive: true });
  const bin = { pnpm: './bin/pnpm.cjs', pnpx: './bin/pnpx.cjs' };
  const locator = { name: 'pnpm', reference: pnpm10Version };
  writeFileSync(join(installed, '.corepack'), JSON.stringify({ locator, bin, hash: 'sha512.0' }));
  writeFileSync(join(home, 'corepack', 'lastKnownGood.json'), JSON.stringify({ pnpm: pnpm10Version }));
  return home;
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
