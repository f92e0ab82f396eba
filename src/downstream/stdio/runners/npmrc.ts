/** Settings of npm and pnpm that change neither what a package runner runs nor where it comes from. All others may, or new ones may. */
const harmless = new Set([
  ...['fund', 'engine-strict', 'legacy-peer-deps', 'strict-peer-deps', 'loglevel', 'package-lock', 'progress', 'color'],
  ...['update-notifier', 'prefer-offline', 'min-release-age', 'access', 'provenance', 'git-tag-version'],
  ...['strict-peer-dependencies', 'auto-install-peers', 'hoist', 'shamefully-hoist', 'public-hoist-pattern'],
]);

/** What is for one registry, whichever is used. Not pnpm's `tokenHelper`, which is a program. */
const credential = /^\/\/[\w.:/-]+:(?:_auth|_authtoken|_password|username|email|always-auth)$/;

/** A setting of an `.npmrc` that may change what is run for these packages. Keys that are written in an unusual way count as such. */
export function harmfulSetting(text: string, specs: readonly string[]): string | undefined {
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[;#]/.test(trimmed)) continue;
    const [written = '', value = ''] = trimmed.split('=').map((part) => part.trim());
    const key = written.replace(/\[\]$/, '').toLowerCase();
    if (credential.test(key) || harmless.has(key) || /^(?:save|audit)(?:-[\w-]+)?$/.test(key)) continue;
    if (key === 'ignore-scripts' && value === 'true') continue;
    const [, scope] = /^(@[\w.~-]+):registry$/.exec(key) ?? [];
    if (scope !== undefined) {
      if (!specs.some((spec) => spec.toLowerCase().includes(`${scope}/`))) continue;
      return "'registry' for its scope";
    }
    // npm expands variables in keys and takes quotes and escapes away.
    return /^[\w-]+$/.test(key) ? `'${key}'` : 'something in an unusual way';
  }
  return undefined;
}
