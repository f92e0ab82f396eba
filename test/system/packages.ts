import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installApart } from '../../scripts/install-apart.mjs';

/** Packages of Debian that the tests of this folder use. */
const packages = ['bubblewrap', 'busybox', 'chromium', 'fish', 'haproxy', 'mksh', 'nginx', 'zsh'];

export default function install(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error('check:system needs root on Debian: it mounts, makes namespaces and installs packages.');
  }
  installApart(fileURLToPath(new URL('.', import.meta.url)));
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  // Not without the lists of packages, which a fresh machine may lack; their error shows in the next command.
  spawnSync('apt-get', ['update'], { stdio: 'inherit' });
  withoutDaemons(() =>
    execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  );
}

/** Debian starts a daemon when its package is installed, unless this program forbids it. */
function withoutDaemons(act: () => void): void {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return act();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    act();
  } finally {
    rmSync(policy);
  }
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['--show', '--showformat', '${db:Status-Status}', name]);
  return String(stdout) === 'installed';
}
