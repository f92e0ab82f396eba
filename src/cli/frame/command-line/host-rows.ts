import { loadPart } from '../../../platform/load-part.js';
import type { Command, Option } from '../command.js';

/** The commands about processes. `common`: the options that most commands have. */
export function hostRows(common: Readonly<Record<'host-name' | 'json' | 'no-color' | 'help', Option>>): Command[] {
  return [
    {
      name: 'ps',
      group: 'See',
      usage: '',
      summary: 'what runs: hosts, services over HTTP, sessions, the processes of servers, and calls',
      words: [],
      options: { why: { about: 'also say why a process is not shared, or how it differs' }, ...common },
      examples: ['mcp-workbench ps', 'mcp-workbench ps --why'],
      load: async () => (await loadPart(() => import('../../commands/list/ps.js'))).runPs,
    },
    {
      name: 'cancel',
      group: 'Use',
      usage: 'CALL',
      summary: 'ends a running call; ps and list show their ids',
      words: ['call'],
      needs: 1,
      options: { json: common.json, 'no-color': common['no-color'], help: common.help },
      // The id of a call that runs cannot be known here.
      examples: ['mcp-workbench ps', 'mcp-workbench cancel --help'],
      load: async () => (await loadPart(() => import('../../commands/cancel.js'))).runCancel,
    },
    {
      name: 'stop',
      group: 'Use',
      usage: '[PID]',
      summary: 'ends the host and its servers; the next call of a session starts another',
      words: ['host'],
      options: { all: { about: 'every host, also of other versions' }, ...common },
      examples: ['mcp-workbench stop', 'mcp-workbench stop --json'],
      load: async () => (await loadPart(() => import('../../commands/stop.js'))).runStop,
    },
  ];
}

/** The token that clients send over HTTP. */
export function tokenRow(common: Readonly<Record<'json' | 'help', Option>>): Command {
  return {
    name: 'token',
    group: 'Other',
    usage: '',
    summary: 'prints the token with which clients call `serve --http`',
    words: [],
    options: {
      new: { about: 'replace it: clients with the former one are refused' },
      headers: { about: 'as the headers of a request, in JSON, for clients that run a helper' },
      ...common,
    },
    examples: ['mcp-workbench token', 'mcp-workbench token --headers'],
    load: async () => (await loadPart(() => import('../../commands/token.js'))).runToken,
  };
}

/** The command that clients start. */
export function serveRow(common: Readonly<Record<'config' | 'host-name' | 'help', Option>>): Command {
  return {
    name: 'serve',
    group: 'Other',
    usage: '[--http [HOST:PORT]]',
    summary: 'serves MCP over stdin and stdout, as clients start it, or over HTTP',
    words: ['address'],
    options: {
      http: { about: 'over Streamable HTTP, on 127.0.0.1:4760 or what the file says' },
      frozen: { about: 'block every tool that is not in the lock file as it is listed' },
      ...common,
    },
    examples: ['mcp-workbench serve', 'mcp-workbench serve --frozen'],
    load: async () => (await loadPart(() => import('../../commands/serve.js'))).runServe,
  };
}
