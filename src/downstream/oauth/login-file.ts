import { renameSync, rmSync } from 'node:fs';
import { readTextFile } from '../../config/files/text-file.js';
import { messageOf } from '../../contract/errors.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { maxLoginFileBytes } from '../../limits.js';
import { writeFileAtomicallySync } from '../../platform/atomic-file.js';
import type { LoginKey } from './login-path.js';

export interface StoredTokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** What was granted, if the authorization server says so. */
  readonly scope?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** How long it was valid for when it was issued, in milliseconds. */
  readonly lifetime?: number | undefined;
}

/** How the workbench is known to the authorization server. The secret of a configured client is in the configuration only. */
export interface StoredClient {
  readonly origin: 'configured' | 'document' | 'registered';
  readonly id: string;
  readonly secret?: string | undefined;
  readonly method?: string | undefined;
  readonly redirect?: string | undefined;
}

/** A login at one server, or what is left of it: the client, after the tokens were refused. */
export interface StoredLogin extends LoginKey {
  readonly issuer: string;
  /** The URL by which the server named it. */
  readonly authorizationServer: string;
  /** As it was found; undefined for a server of 2025-03-26 without metadata. */
  readonly metadata?: JsonObject | undefined;
  /** The indicator that tokens are requested for. */
  readonly resource?: string | undefined;
  readonly client: StoredClient;
  readonly tokens?: StoredTokens | undefined;
  /** What was asked for. */
  readonly scope?: string | undefined;
  /** What a call was refused for, and the next login asks for. */
  readonly wanted?: string | undefined;
  /** When the user consented. */
  readonly since: string;
}

/** One login on disk, readable by the user alone. */
export interface LoginFile {
  readonly path: string;
  read(): StoredLogin | undefined;
  write(login: StoredLogin): void;
  /** False if there was none. */
  remove(): boolean;
}

/** `warn`: the file could not be used and was set aside. */
export function createLoginFile(path: string, key: LoginKey, warn: (message: string) => void): LoginFile {
  function setAside(problem: string): undefined {
    const aside = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    try {
      renameSync(path, aside);
      warn(`the login in ${path} cannot be used: ${problem}. It was renamed to ${aside}; log in again`);
    } catch (error) {
      warn(`the login in ${path} cannot be used: ${problem}. It could not be renamed: ${messageOf(error)}`);
    }
    return undefined;
  }

  return {
    path,
    read() {
      const content = readTextFile(path, maxLoginFileBytes);
      if (content.kind === 'missing') return undefined;
      if (content.kind !== 'text') return setAside(content.problem);
      const login = parseLogin(content.text);
      return login === undefined || !isOf(login, key) ? setAside('it is damaged') : login;
    },
    write: (login) => writeFileAtomicallySync(path, `${JSON.stringify({ version: 1, ...login }, undefined, 2)}\n`),
    remove() {
      try {
        rmSync(path);
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
        throw error;
      }
    },
  };
}

function isOf(login: StoredLogin, { config, toolbox, server, url }: LoginKey): boolean {
  return login.config === config && login.toolbox === toolbox && login.server === server && login.url === url;
}

function parseLogin(text: string): StoredLogin | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field that it needs was looked at
    return isRecord(value) && isLogin(value) ? (value as unknown as StoredLogin) : undefined;
  } catch {
    return undefined;
  }
}

function isLogin(value: JsonObject): boolean {
  const { client, tokens, metadata } = value;
  return (
    value['version'] === 1 &&
    hasTexts(value, ['config', 'toolbox', 'server', 'url', 'issuer', 'authorizationServer', 'since']) &&
    mayHaveTexts(value, ['resource', 'scope', 'wanted']) &&
    isRecord(client) &&
    hasTexts(client, ['origin', 'id']) &&
    mayHaveTexts(client, ['secret', 'method', 'redirect']) &&
    (metadata === undefined || isRecord(metadata)) &&
    (tokens === undefined || isTokens(tokens))
  );
}

function isTokens(value: unknown): boolean {
  if (!isRecord(value) || !hasTexts(value, ['access']) || !mayHaveTexts(value, ['refresh', 'scope'])) return false;
  return ['expires', 'lifetime'].every((key) => value[key] === undefined || typeof value[key] === 'number');
}

function hasTexts(value: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}

function mayHaveTexts(value: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => value[key] === undefined || typeof value[key] === 'string');
}
