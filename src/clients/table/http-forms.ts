import type { JsonObject } from '../../jsonrpc/json.js';
import type { ClientName } from './client.js';

/** The variable that clients read the token from, where their entries can name one. */
export const tokenVariable = 'MCP_WORKBENCH_TOKEN';
/** The id of the question with which VS Code asks for the token. */
export const tokenInput = 'workbench-token';

/** How a client gets the token of the service of one person. */
export interface TokenWays {
  /** A command line that prints the headers of a request. */
  readonly helper: string;
  /** The token itself: only for clients that have no other way. */
  readonly literal: string;
}

/** An entry of a client that reaches a service over HTTP. */
export interface HttpForm {
  /** `helper`: it runs a program; `variable`: it reads a variable; `question`: it asks its user; `literal`: it is in the file. */
  readonly tokenBy: 'helper' | 'variable' | 'question' | 'literal';
  /** Without `token` the client finds out by itself where its user logs in. */
  readonly entry: (url: string, token: TokenWays | undefined) => JsonObject;
  /** Its own command that adds the entry. */
  readonly ownCommand?: (name: string, url: string, entry: JsonObject) => readonly string[];
}

/** A question that an entry refers to: a member of the list `inputs` beside the servers. */
export const tokenQuestion = {
  type: 'promptString',
  id: tokenInput,
  description: 'Token of MCP Workbench: mcp-workbench token',
  password: true,
} as const;

const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } });

function byVariable(reference: string, form: (url: string) => JsonObject): HttpForm {
  return { tokenBy: 'variable', entry: (url, token) => ({ ...form(url), ...(token && bearer(reference)) }) };
}

const claudeCode: HttpForm = {
  tokenBy: 'helper',
  entry: (url, token) => ({ type: 'http', url, ...(token && { headersHelper: token.helper }), alwaysLoad: true }),
  ownCommand: (name, _, entry) => ['claude', 'mcp', 'add-json', '--scope', 'user', name, JSON.stringify(entry)],
};

const vscode: HttpForm = {
  tokenBy: 'question',
  entry: (url, token) => ({ type: 'http', url, ...(token && bearer(`\${input:${tokenInput}}`)) }),
};

/** It ignores `headers`, and refuses a token in its file. */
const codex: HttpForm = {
  tokenBy: 'variable',
  entry: (url, token) => ({ url, ...(token && { bearer_token_env_var: tokenVariable }) }),
  ownCommand: (name, url, entry) => {
    const variable = 'bearer_token_env_var' in entry ? ['--bearer-token-env-var', tokenVariable] : [];
    return ['codex', 'mcp', 'add', name, '--url', url, ...variable];
  },
};

/** Its settings have no variables. */
const zed: HttpForm = {
  tokenBy: 'literal',
  entry: (url, token) => ({ url, ...(token && bearer(token.literal)) }),
};

const forms: Readonly<Partial<Record<ClientName, HttpForm>>> = {
  'claude-code': claudeCode,
  cursor: byVariable(`\${env:${tokenVariable}}`, (url) => ({ url })),
  vscode,
  codex,
  gemini: byVariable(`$${tokenVariable}`, (url) => ({ httpUrl: url })),
  opencode: byVariable(`{env:${tokenVariable}}`, (url) => ({ type: 'remote', url, enabled: true })),
  windsurf: byVariable(`\${env:${tokenVariable}}`, (url) => ({ serverUrl: url })),
  zed,
  copilot: byVariable(`\${${tokenVariable}}`, (url) => ({ type: 'http', url, tools: ['*'], deferTools: 'never' })),
  qwen: byVariable(`$${tokenVariable}`, (url) => ({ httpUrl: url, alwaysLoadTools: true })),
};

/** Undefined for a client that can only start programs. */
export function httpFormOf(client: ClientName): HttpForm | undefined {
  return forms[client];
}

/** As most clients would have it that are not in the table. */
export const commonHttpForms = {
  json: byVariable(`\${${tokenVariable}}`, (url) => ({ type: 'http', url })),
  toml: codex,
} as const;
