import path from 'node:path';
import { printableLine } from '../../text/printable.js';
import { shellQuote } from '../../text/shell-quote.js';
import { shorten } from '../../text/shorten.js';
import type { TextFile } from '../files/text-file.js';
import type { VouchedFile } from '../files/vouched-file.js';
import type { ConfigFile } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { parseEnvFile } from '../values/env-file.js';
import type { FileGuard } from '../values/referenced-files.js';
import { createDirectoryTrust, isOnlyOurs } from './directory-trust.js';
import { isInside, isLedAway, type NamedFiles, namedFilesOf, repositoryOf } from './named-files.js';
import type { NamingPlace } from './named-positions.js';
import { realPathOf } from './trust-store.js';

const mostNames = 3;
const longestName = 40;

/**
 * Looks at each file that a configuration names with the very content that is used. `vouched`: the files as they were trusted with it;
 * undefined if the configuration needs no trust.
 */
export function createFileGuard(
  file: ConfigFile,
  place: NamingPlace & { readonly platform: string },
  vouched: readonly VouchedFile[] | undefined,
): FileGuard {
  const named = namedFilesOf(file, place);
  const isTrusted = createDirectoryTrust(place);
  const own = path.dirname(place.path);
  const isOwn = vouched === undefined && isOnlyOurs(own);

  const repository = (directory: string) => repositoryOf(realPathOf(directory), realPathOf(place.home));

  /** Whether others may change the file: it is in the repository that it is named in, in another one, or wherever a session works. */
  function isForeign(one: string): boolean {
    if (vouched !== undefined) return named.pathOf(one) !== undefined;
    if (named.isVariable(one) && isInside(realPathOf(one), realPathOf(place.cwd))) return true;
    const other = repository(path.dirname(realPathOf(one)));
    return other !== undefined && other !== repository(path.dirname(realPathOf(place.path)));
  }

  function codeIn(one: string, content: TextFile): string | undefined {
    if (content.kind !== 'text' || !named.isEnvFile(one) || !isForeign(one)) return undefined;
    const directories = [path.dirname(one), ...(vouched === undefined ? [] : [own])];
    if (directories.some(isTrusted) || (isOwn && realPathOf(path.dirname(one)) === realPathOf(own))) return undefined;
    const names = [...parseEnvFile(content.text).variables.keys()].filter(runsCode);
    if (names.length === 0) return undefined;
    const directory = directories.at(-1) ?? '';
    return `it sets ${listOf(names)}, which can make programs run code, and its directory is not trusted. To look at it and trust it: mcp-workbench trust ${shellQuote(directory)}`;
  }

  return {
    problemOf(one, content) {
      const known = named.pathOf(one);
      if (vouched === undefined || known === undefined) return codeIn(known ?? one, content);
      return awayOf(named, known) ?? changeOf(named, known, content, vouched) ?? codeIn(known, content);
    },
  };
}

/** Why a file is refused whose link leaves the project; undefined if it does not. */
export function awayOf(named: NamedFiles, file: string): string | undefined {
  return isLedAway(named, file) ? `it is a link that leads out of ${printableLine(named.root)}.` : undefined;
}

/** Why a file is not what the user trusted; undefined if it is. */
export function changeOf(
  named: NamedFiles,
  file: string,
  content: TextFile,
  vouched: readonly VouchedFile[],
): string | undefined {
  const digest = vouched.find((one) => one.path === file)?.sha256;
  return digest === named.digestOf(file, content)
    ? undefined
    : 'it is not as it was when the configuration was trusted. To look at it and trust it again: mcp-workbench trust';
}

/** The names are anyone's text. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => shorten(printableLine(name), longestName));
  return [...shown, ...(names.length > mostNames ? ['others'] : [])].join(', ');
}
