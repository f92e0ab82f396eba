import type { Options } from './runner-options.js';

/** How a package runner can be made to start a program in another directory than its own. */
export type Method = 'packages' | 'shell' | 'yarn' | 'python' | 'deno' | 'none';

export interface KnownRunner {
  readonly method: Method;
  /** The words after its name that make it a package runner. */
  readonly verbs: readonly (readonly string[])[];
  readonly options: Options;
  /** What a package is named with. */
  readonly packageOption?: string;
  /** Whether it runs the first program of a package that has several, and none of its name. Others fail. */
  readonly takesFirst?: boolean;
  /** The program and the verb that it stands for. */
  readonly shortFor?: readonly [string, string];
}

const npm: KnownRunner = { method: 'shell', verbs: [['exec'], ['x']], options: {} };

const pnpmOptions: Options = {
  flags: [
    ...['-s', '--silent', '--color', '--no-color', '--offline', '--prefer-offline', '--use-stderr', '--ignore-scripts'],
    ...['--aggregate-output', '--stream', '-y', '--yes'],
  ],
  values: ['--reporter', '--registry', '--allow-build', '--loglevel', '--cpu', '--os', '--libc'],
  paths: ['--store-dir', '--cache-dir'],
  packages: ['--package', '-p'],
  directories: ['-C', '--dir'],
};
const pnpm: KnownRunner = {
  method: 'packages',
  verbs: [['dlx'], ['exec']],
  options: pnpmOptions,
  packageOption: '--package',
};

const bunOptions: Options = {
  flags: ['--bun', '-b', '--silent', '--verbose', '--no-install', '-y', '--yes'],
  packages: ['-p', '--package'],
  directories: ['--cwd'],
};
const bun: KnownRunner = {
  method: 'packages',
  verbs: [['x']],
  options: bunOptions,
  packageOption: '--package',
  takesFirst: true,
};

const uvOptions: Options = {
  flags: [
    ...[
      '--isolated',
      '-q',
      '--quiet',
      '-v',
      '--verbose',
      '-n',
      '--no-cache',
      '--offline',
      '--refresh',
      '-U',
      '--upgrade',
    ],
    ...['--reinstall', '--no-index', '--native-tls', '--system-certs', '--no-config', '--no-progress', '--no-sources'],
    ...[
      '--managed-python',
      '--no-managed-python',
      '--no-python-downloads',
      '--no-build',
      '--no-binary',
      '--no-env-file',
    ],
    ...['--compile-bytecode', '--show-resolution', '--lfs', '--no-build-isolation', '--pre'],
  ],
  values: [
    ...['--with', '-w', '-p', '--python', '-i', '--index-url', '--default-index', '--index', '--extra-index-url'],
    ...[
      '-P',
      '--upgrade-package',
      '--reinstall-package',
      '--refresh-package',
      '--index-strategy',
      '--keyring-provider',
    ],
    ...['--resolution', '--prerelease', '--fork-strategy', '-C', '--config-setting', '--no-build-isolation-package'],
    ...['--exclude-newer', '--exclude-newer-package', '--link-mode', '--no-build-package', '--no-binary-package'],
    ...[
      '--python-preference',
      '--color',
      '--allow-insecure-host',
      '--torch-backend',
      '--python-platform',
      '-f',
      '--find-links',
    ],
  ],
  paths: [
    ...[
      '--with-editable',
      '--with-requirements',
      '-c',
      '--constraints',
      '--constraint',
      '--overrides',
      '--override',
      '-b',
    ],
    ...['--build-constraints', '--build-constraint', '--env-file', '--cache-dir', '--config-file'],
  ],
  packages: ['--from'],
  directories: ['--directory', '--project'],
};
const uv: KnownRunner = { method: 'python', verbs: [['tool', 'run']], options: uvOptions, packageOption: '--from' };

const pipxOptions: Options = {
  flags: ['--no-cache', '-v', '--verbose', '-q', '--quiet', '--system-site-packages', '--no-path-check'],
  values: ['--python', '--pip-args', '--with', '-i', '--index-url', '--backend'],
  packages: ['--spec'],
};

const yarnOptions: Options = { flags: ['-q', '--quiet'], packages: ['-p', '--package'], directories: ['--cwd'] };

const denoOptions: Options = {
  flags: [
    ...['-A', '--allow-all', '-q', '--quiet', '--no-check', '--no-config', '--no-lock', '--no-npm', '--no-remote'],
    ...['--cached-only', '--no-prompt', '--check', '-r', '--reload', '--frozen', '-R', '-W', '-N', '-E', '-S', '-I'],
    ...['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'].flatMap((of) => [
      `--allow-${of}`,
      `--deny-${of}`,
    ]),
    ...['--node-modules-dir', '--unstable', '--no-code-cache', '--allow-scripts', '--inspect'],
  ],
  values: ['-L', '--log-level', '--location', '--seed', '--ext'],
  paths: ['-c', '--config', '--import-map', '--cert', '--preload', '--require'],
};

/** By the names of their programs. */
export const knownRunners: Readonly<Record<string, KnownRunner>> = {
  npx: { ...npm, verbs: [[]] },
  npm,
  pnpm,
  pnpx: { ...pnpm, verbs: [[]], shortFor: ['pnpm', 'dlx'] },
  pnx: { ...pnpm, verbs: [[]], shortFor: ['pnpm', 'dlx'] },
  bun,
  bunx: { ...bun, verbs: [[]] },
  yarn: { method: 'yarn', verbs: [['dlx'], ['exec']], options: yarnOptions },
  uv,
  uvx: { ...uv, verbs: [[]] },
  pipx: { method: 'python', verbs: [['run']], options: pipxOptions, packageOption: '--spec' },
  deno: { method: 'deno', verbs: [['run'], ['x']], options: denoOptions },
  dnx: { method: 'none', verbs: [[]], options: {} },
  dotnet: { method: 'none', verbs: [['tool', 'exec'], ['dnx']], options: {} },
};
