const names = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'LANG', 'LANGUAGE', 'TZ'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['SSH_AUTH_SOCK', 'DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'],
]);

const windowsNames = new Set([
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432'],
  ...['COMMONPROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP'],
  ...['USERNAME', 'USERDOMAIN', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'PUBLIC', 'COMPUTERNAME', 'OS'],
  ...['PROCESSOR_ARCHITECTURE', 'NUMBER_OF_PROCESSORS', 'PSMODULEPATH'],
]);

const prefixes = ['LC_', 'XDG_'];

/** The variables that every child inherits. All others, secrets above all, must be set in the server's entry. */
export function minimalEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  platform: string,
): Map<string, string> {
  const environment = new Map<string, string>();
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && isPassedOn(name, platform)) environment.set(name, value);
  }
  // cmd.exe, which runs `npx.cmd`, then does not look for programs in the working directory.
  if (platform === 'win32') environment.set('NoDefaultCurrentDirectoryInExePath', '1');
  return environment;
}

function isPassedOn(name: string, platform: string): boolean {
  if (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) return true;
  // Names of variables are case-insensitive on Windows.
  const upper = name.toUpperCase();
  return platform === 'win32' && (windowsNames.has(upper) || names.has(upper));
}
