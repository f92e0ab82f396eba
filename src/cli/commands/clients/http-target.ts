import { lastingScript } from '../../../clients/own-files.js';
import type { ConfigText } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { httpFormOf, type TokenWays } from '../../../clients/table/http-forms.js';
import { faultOfUrl, isLoopbackUrl } from '../../../config/http/addresses.js';
import { endpointUrl } from '../../../config/http/endpoint-url.js';
import { parseFile } from '../../../config/read/parse.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';
import { dataDirectoryOf } from '../../../platform/directories.js';
import { readOrMakeToken, readToken } from '../../../serve/http/identity/secret-files.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { ownFiles } from './own-launch.js';

/** A service over HTTP, as a client is connected to it. */
export interface HttpTarget {
  readonly url: string;
  /** It is a service of this user, who has its token. Otherwise the client finds out where to log in. */
  readonly hasOwnToken: boolean;
}

/** Our entry in the file of a client. */
export interface WrittenEntry {
  readonly entry: object;
  /** The client asks its user for the token. */
  readonly asksForToken: boolean;
  /** The token is in it. */
  readonly hasToken: boolean;
}

/** What stands for the token where it is not to be seen. */
export const tokenPlaceholder = 'TOKEN';

/** `word`: the URL that was typed. Throws if there is none. */
export function httpTarget(word: string | undefined, config: ConfigText | undefined, computer: Computer): HttpTarget {
  const http = config && parseFile(config.text, config.path).file.http;
  const configured = endpointUrl(http, computer.env);
  const url = word ?? configured;
  if (url === undefined)
    throw new WorkbenchError(
      'CONFIG_INVALID',
      '"url" of "http" in the configuration needs a variable that is not set',
      {
        hint: 'Set it, or name the URL: mcp-workbench connect CLIENT --http URL',
      },
    );
  // Elsewhere than here, the token of this user says nothing, and would be known there.
  const isOwn = isLoopbackUrl(url) || url === configured;
  return { url, hasOwnToken: isOwn && http?.auth === undefined };
}

/** Why no client is connected to an address that was typed; undefined if it can be. */
export function addressProblem(address: string): string | undefined {
  const fault = faultOfUrl(address, 'https://mcp.example.com/mcp');
  return fault && `${fault.what} ${fault.remedy}`;
}

/** The entry of a client for it. */
export function httpEntry(client: Client, target: HttpTarget, call: Call, isProject: boolean): WrittenEntry {
  const form = requireForm(client);
  const isLiteral = form.tokenBy === 'literal' && target.hasOwnToken;
  if (isLiteral && isProject)
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      `${client.title} takes the token only as text, and a file of a project is no place for it. Nothing was changed. Connect your own file: mcp-workbench connect ${client.name} --http`,
    );
  const ways = { helper: helperFor(call.computer, isProject), literal: isLiteral ? tokenFor(call) : tokenPlaceholder };
  return {
    entry: form.entry(target.url, target.hasOwnToken ? ways : undefined),
    asksForToken: form.tokenBy === 'question' && target.hasOwnToken,
    hasToken: isLiteral,
  };
}

export function requireForm(client: Client) {
  const form = httpFormOf(client.name);
  if (form !== undefined) return form;
  throw new WorkbenchError(
    'CLIENT_NOT_FOUND',
    `The file of ${client.title} has no servers over HTTP. Let it start the workbench: mcp-workbench connect ${client.name}`,
  );
}

/** Without the token itself. */
export function printedWays(computer: Computer, isProject: boolean): TokenWays {
  return { helper: helperFor(computer, isProject), literal: tokenPlaceholder };
}

/** By absolute paths, because clients have other directories and PATHs; in a file that others get, by its name. */
function helperFor(computer: Computer, isProject: boolean): string {
  if (isProject) return 'mcp-workbench token --headers';
  const own = ownFiles();
  const quote = computer.platform === 'win32' ? (word: string) => `"${word}"` : shellQuote;
  return [...[own.node, lastingScript(own, computer)].map(quote), 'token', '--headers'].join(' ');
}

/** Nothing is made where nothing is to be changed. */
function tokenFor({ flag, computer }: Call): string {
  const directory = dataDirectoryOf(computer);
  if (flag('dry-run')) return readToken(directory, computer.platform) ?? tokenPlaceholder;
  return readOrMakeToken(directory, computer.platform);
}
