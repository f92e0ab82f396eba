/** Settings of npm that change what a package runner runs, or where packages come from. */
const harmful = new Set([
  ...['registry', 'script-shell', 'node-options', 'shell', 'git', 'package', 'call', 'cache', 'prefix', 'userconfig'],
  ...['globalconfig', 'workspace', 'workspaces', 'proxy', 'https-proxy', 'http-proxy', 'ca', 'cafile', 'strict-ssl'],
]);

/** A setting of an `.npmrc` that changes what is run. Keys that are written in an unusual way count as such. */
export function harmfulSetting(text: string): string | undefined {
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[;#]/.test(trimmed)) continue;
    const key = (trimmed.split('=', 1)[0] ?? '').trim().replace(/\[\]$/, '').toLowerCase();
    // `//HOST/:_authToken` and the like are for one registry, whichever is used.
    if (/^\/\/[\w.:/-]+:[\w-]+$/.test(key) && !key.endsWith(':registry')) continue;
    if (harmful.has(key)) return `'${key}'`;
    if (key.endsWith(':registry')) return "'registry' for a scope";
    // npm expands variables in keys and takes quotes and escapes away.
    if (!/^[\w-]+$/.test(key)) return 'something in an unusual way';
  }
  return undefined;
}
