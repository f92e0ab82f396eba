import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Computer } from '../../platform/computer.js';

type Place = Pick<Computer, 'env' | 'platform' | 'home'>;

function pathsOf({ platform }: Place): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** A path below the home directory. */
export function inHome(place: Place, ...parts: string[]): string {
  return pathsOf(place).join(place.home, ...parts);
}

/** A path below the directory that a variable names, or below the given one in the home directory. */
export function inDirectoryOf(place: Place, variable: string, fallback: readonly string[], ...parts: string[]): string {
  const named = place.env[variable];
  const paths = pathsOf(place);
  const directory = named && paths.isAbsolute(named) ? named : paths.join(place.home, ...fallback);
  return paths.join(directory, ...parts);
}

/** Below `~/.config`, or where XDG_CONFIG_HOME says. */
export function inXdgConfig(place: Place, ...parts: string[]): string {
  return inDirectoryOf(place, 'XDG_CONFIG_HOME', ['.config'], ...parts);
}

/** Where applications of the desktop keep a user's settings. */
export function inApplicationData(place: Place, ...parts: string[]): string {
  if (place.platform === 'win32') return inDirectoryOf(place, 'APPDATA', ['AppData', 'Roaming'], ...parts);
  if (place.platform === 'darwin') return inHome(place, 'Library', 'Application Support', ...parts);
  return inXdgConfig(place, ...parts);
}

/** Where Windows redirects the settings of an application from its Store; none elsewhere. */
export function inStorePackages(place: Place, name: RegExp, ...parts: string[]): string[] {
  if (place.platform !== 'win32') return [];
  const packages = inDirectoryOf(place, 'LOCALAPPDATA', ['AppData', 'Local'], 'Packages');
  try {
    const found = readdirSync(packages).filter((one) => name.test(one));
    return found.map((one) => path.win32.join(packages, one, 'LocalCache', 'Roaming', ...parts));
  } catch {
    return [];
  }
}
