// zod/mini: the full zod is five times its size once bundled. Run `npm run generate` after a change.
// The keys of the file in its own form; `dialect-schema.ts` adds those of other clients. No other place lists them.
import * as z from 'zod/mini';
import { builtInSettings } from '../../limits.js';
import { objectChecks, textChecks } from './checks.js';
import { httpKey } from './http-schema.js';
import { headerName, serverName, toolboxName, variableName } from './name-schema.js';
import { ruleKeys } from './rule-schema.js';
import { ownCheck } from './schema-checks.js';
import { documented, givenText, optional, text } from './schema-values.js';
import { targetFaults } from './target-faults.js';
import { repeatedHeaders, transportWords } from './transport.js';

export const longestTimerMs = 2_147_483_647;
const longestTextBytes = 500_000_000;

const timer = [1, longestTimerMs] as const;
const bytes = [1, longestTextBytes] as const;
const count = [1, 1_000_000] as const;

function whole(
  name: keyof typeof builtInSettings,
  [least, most]: readonly [least: number, most: number],
  description: string,
) {
  // Not z.int(): after a fraction, zod would skip the checks of the surrounding entry.
  const number = z.number().check(z.multipleOf(1), z.gte(least), z.lte(most));
  return optional(number, description, { default: builtInSettings[name] });
}

const serverSettings = {
  startTimeoutMs: whole(
    'startTimeoutMs',
    timer,
    'How long the server may take to start and complete the handshake, in milliseconds.',
  ),
  callTimeoutMs: whole(
    'callTimeoutMs',
    timer,
    'How long a call may take without a response or a progress notification, in milliseconds.',
  ),
  callTotalTimeoutMs: whole(
    'callTotalTimeoutMs',
    timer,
    'How long a call may take in total, with or without progress notifications, in milliseconds. If not set, at least `callTimeoutMs`.',
  ),
  idleTimeoutMs: whole(
    'idleTimeoutMs',
    [0, longestTimerMs],
    'How long the server may be idle before it is stopped, in milliseconds; the next call starts it again. 0 means never.',
  ),
  maxConcurrentCalls: whole(
    'maxConcurrentCalls',
    count,
    'How many calls may run on the server at the same time; further calls wait.',
  ),
  maxQueuedCalls: whole('maxQueuedCalls', [0, 1_000_000], 'How many calls may wait; further calls fail at once.'),
  maxMessageBytes: whole(
    'maxMessageBytes',
    bytes,
    'The largest message the server may send, in bytes; a larger one fails its call.',
  ),
  maxResultBytes: whole(
    'maxResultBytes',
    bytes,
    'The largest result that is passed on to the agent, in bytes. Common clients close the connection above 10 MiB.',
  ),
  roots: optional(
    z.boolean(),
    "Offers the server the client's roots: the directories that the client works in. Some servers use them instead of the directories in their `args`. Every session then has a process of its own, as with `perSession`.",
    { default: false },
  ),
  perSession: optional(
    z.boolean(),
    'Gives every session a process of its own: for servers that keep a state which sessions must not share, such as a browser. See [sharing](sharing.md).',
    { default: false },
  ),
  resolve: optional(
    z.boolean(),
    'Whether a server of `npx` is started from its file: npm is asked for it once. `false` starts it as written. See [package runners](runners.md).',
    { default: true },
  ),
  lock: optional(
    z.enum(['note', 'strict', 'off']),
    'What happens when the server changes its tools after they were approved, or seen for the first time: `note` says so once, `strict` blocks changed and new tools until `mcp-workbench approve`, `off` compares nothing. See [lock](security.md#lock).',
    { default: 'note' },
  ),
  protocol: optional(
    z.enum(['auto', 'legacy', '2026-07-28']),
    'The MCP revision to use with the server: `auto` detects it, `legacy` is 2025-11-25 and older.',
    { default: 'auto' },
  ),
  envFile: optional(
    givenText,
    'A file of `NAME=value` lines with variables for the server, relative to the configuration file.',
  ),
  envCommand: optional(
    z.array(text),
    'A program and its arguments, run without a shell each time the server starts. It prints variables for the server: `NAME=value` lines, or one JSON object of strings. See [secrets](#secrets).',
  ),
  env_vars: optional(
    z.array(variableName),
    'Names of variables of the workbench that the server gets as well, such as `AWS_PROFILE`.',
  ),
  ...ruleKeys,
};

const sharedEnvFile = (whose: string) =>
  optional(
    givenText,
    `A file of \`NAME=value\` lines with variables for all servers ${whose}, relative to the configuration file.`,
  );

const url = givenText.check(
  ownCheck(textChecks.url, () => [
    { what: 'Not an http or https URL.', remedy: 'Write a complete URL, e.g. "https://example.com/mcp".' },
  ]),
);

// Also when a value inside is wrong: all faults of a file are reported at once.
export const always = {
  when: ({ value }: { readonly value: unknown }) =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
};
const oneTarget = ownCheck(objectChecks.target, targetFaults, always);
const differentHeaders = ownCheck(
  objectChecks.headers,
  (entry) =>
    repeatedHeaders(entry).map((name) => ({
      what: 'This header occurs more than once: upper and lower case are the same in its name.',
      remedy: 'Remove one of them.',
      atKey: true,
      at: ['headers', name],
    })),
  always,
);

export const headers = z.map(headerName, text);
const transportWord = z.enum(transportWords);
const transport = z.union([
  transportWord,
  documented(
    z
      .object({
        type: optional(transportWord, 'The transport.'),
        url: optional(url, 'The URL of a remote server.'),
        headers: optional(headers, 'HTTP headers for the remote server; `headers` of the entry override them.'),
      })
      .check(differentHeaders),
    'The transport of a server as an object.',
    { title: 'TransportEntry' },
  ),
]);

const oauth = documented(
  z.object({
    clientId: optional(givenText, 'The id of a client that is registered with the authorization server.'),
    clientSecret: optional(givenText, 'Its secret, if it has one. Take it from a variable: `${NAME}`.'),
    clientMetadataUrl: optional(
      url,
      'The https URL of a Client ID Metadata Document. It is the client id, where the authorization server supports that.',
    ),
    issuer: optional(
      url,
      'The authorization server that the client is registered with. Its secret is sent to no other.',
    ),
    hosts: optional(
      z.array(givenText),
      'Hosts of one provider, such as `["login.example.com", "api.example.com"]`: its login page may be on one and its token endpoint on another. Only needed where a login is refused for that.',
    ),
    callbackPort: optional(
      z.number().check(z.multipleOf(1), z.gte(1), z.lte(65_535)),
      'The port that the browser is sent back to. Register `http://localhost:PORT/callback` as the redirect. If not set: `http://127.0.0.1:PORT/callback` with any free port.',
    ),
    scopes: optional(z.array(text), 'The scopes to ask for, instead of the ones that the server names.'),
    grant: optional(
      z.enum(['authorization_code', 'client_credentials', 'none']),
      '`client_credentials` is for machines: no user logs in; `clientId` and `clientSecret` are needed. `none`: no login at this server.',
      { default: 'authorization_code' },
    ),
  }),
  'How to log in at a remote server. Without it, whatever the server and its authorization server offer.',
  { title: 'OAuthEntry' },
);

export const entryKeys = {
  type: optional(transportWord, 'The transport, in the words of any client. Optional: `command` or `url` implies it.'),
  transport: optional(transport, 'The same as `type`, or an object with `type`, `url` and `headers`.'),
  command: optional(givenText, 'The program to start. It is started directly, without a shell.'),
  args: optional(z.array(text), 'Arguments of the program.'),
  env: optional(
    z.map(variableName, text),
    'Environment variables for the program; they override those of `envFile` and `envCommand`.',
  ),
  cwd: optional(
    givenText,
    'The working directory of the program, relative to the configuration file. Default: that of the workbench.',
  ),
  url: optional(url, 'The URL of a remote server.'),
  httpUrl: optional(url, 'The URL of a remote server that speaks Streamable HTTP.'),
  serverUrl: optional(url, 'The same as `url`.'),
  headers: optional(headers, 'HTTP headers for the remote server.'),
  oauth: optional(oauth, 'How to log in at the remote server, if it needs more than the server itself offers.'),
  toolFilters: optional(
    z.array(text),
    'Which tools to offer: names or globs such as `read_*`. `["*"]` is all of them, `[]` none.',
    { default: ['*'] },
  ),
  excludeTools: optional(z.array(text), 'Tools that are not offered, as names or globs; it wins over `toolFilters`.'),
  forEveryone: optional(
    z.boolean(),
    'Shares the server between all users of agents over HTTP: for one that has neither a state nor credentials of a user. See [HTTP](http.md#what-users-share).',
    { default: false },
  ),
  disabled: optional(z.boolean(), 'Disables the server without deleting its entry.', { default: false }),
  ...serverSettings,
};

export const entryChecks = [oneTarget, differentHeaders] as const;
const serverEntry = z.object(entryKeys).check(...entryChecks);

const servers = z.map(serverName, serverEntry).check(z.minSize(1));

export const toolboxKeys = {
  description: optional(
    z.string().check(z.regex(/\S/)),
    'The purpose of the toolbox. The agent chooses a toolbox by this text; without one, by the names of its servers.',
  ),
  envFile: sharedEnvFile('of this toolbox'),
};

export const fileKeys = {
  $schema: optional(z.string(), 'The JSON Schema of this file, for editors.'),
  envFile: sharedEnvFile('of this file'),
  openTimeoutMs: whole(
    'openTimeoutMs',
    timer,
    'How long `open_toolbox` and calls wait for servers to start, in milliseconds; slower ones keep starting. Once one is ready, `open_toolbox` waits until no other has become ready for 5 s.',
  ),
  openBudgetChars: whole(
    'openBudgetChars',
    bytes,
    'The largest response of `open_toolbox`, in characters; a longer listing is shown with less detail. Without it, Cline and Copilot CLI get as much as they show: 7000 characters and 20000 bytes.',
  ),
  resultBudgetChars: optional(
    z.number().check(z.multipleOf(1), z.gte(0), z.lte(longestTextBytes)),
    'The largest result of a tool that is sent whole, in characters; of a larger one the agent gets an outline, and calls to read the rest. 0 means never. Without it, what the client shows, for clients that are known. See [results](results.md).',
  ),
  answerWithinMs: optional(
    z.number().check(z.multipleOf(1), z.gte(0), z.lte(longestTimerMs)),
    'How long a call may take before it is answered with an id, with which the agent waits for its result, in milliseconds; 0 means for ever. Without it, 10 seconds less than the client waits, for clients that are known. See [long calls](long-calls.md).',
  ),
  shared: optional(z.boolean(), 'Whether sessions share servers, in one host process. See [sharing](sharing.md).', {
    default: true,
  }),
  http: httpKey,
  runnerRefreshMs: whole(
    'runnerRefreshMs',
    [0, longestTimerMs],
    'How long the version of a package with a tag, such as `@latest`, is used before npm is asked for a newer one, in milliseconds; 0 means for ever. See [package runners](runners.md).',
  ),
  defaults: optional(z.object(serverSettings), 'Settings for all servers; a server entry can override them.', {
    title: 'ServerDefaults',
  }),
};

/**
 * The file in its own form, which is what start-up can read without this schema. Names are keys of Maps, not of objects: objects
 * lose `__proto__` and reorder `10` and `2`.
 */
export const configFileSchema = z.object({
  ...fileKeys,
  toolboxes: z.map(toolboxName, z.object({ ...toolboxKeys, mcpServers: servers })),
});

export type ConfigFile = z.output<typeof configFileSchema>;
export type ToolboxFileEntry = ConfigFile['toolboxes'] extends Map<string, infer Toolbox> ? Toolbox : never;
export type ServerFileEntry = z.output<typeof serverEntry>;
export type ServerFileSettings = NonNullable<ConfigFile['defaults']>;
