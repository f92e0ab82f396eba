import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Engine, startEngine } from '../../src/compose.js';
import { readConfiguration } from '../../src/config/read/configuration.js';
import { isRecord } from '../../src/jsonrpc/json.js';
import { type Computer, thisComputer } from '../../src/platform/computer.js';
import { createLog, silentLog } from '../../src/platform/log.js';
import { localUser } from '../../src/session/principal.js';
import { devToolbox, type ServerEntry, withMarker, writeConfig } from './configs.js';
import { connectAgent, type EngineAgent } from './engine-agents.js';
import { stopWhenTestFinishes, temporaryDirectory } from './launch.js';
import { type Message, modern } from './workbench.js';

/** An engine in this process whose sessions share servers. */
export interface SharedEngine {
  readonly engine: Engine;
  readonly marker: string;
  /** Where its files are. */
  readonly home: string;
  /** Opens a session. Its servers have the marker. */
  readonly open: (session: SessionSpec) => Promise<SharedAgent>;
}

export interface SessionSpec {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly toolbox?: string;
  /** Whom it belongs to, if not to the user of this computer. */
  readonly principal?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of the session. */
  readonly cwd?: string;
  readonly isModern?: boolean;
  readonly capabilities?: object;
  /** The name that its client reports. */
  readonly client?: string;
  /** The setting `resultBudgetChars`. */
  readonly budget?: number | undefined;
  /** The setting `answerWithinMs`. */
  readonly answerWithinMs?: number | undefined;
  /** Whether it reads what is sent to it; a legacy client does at first. */
  readonly reads?: boolean;
}

export interface SharedAgent extends EngineAgent {
  /** Calls a tool of the server `any`. `more`: other fields of `use_tool`. */
  call(id: number, name: string, args?: object, more?: object): Promise<Message>;
  /** Sends the same call without waiting. `again`: answers to the questions of an earlier round. */
  begin(id: number, name: string, args?: object, again?: object): void;
  open(id: number): Promise<Message>;
  readonly lines: readonly string[];
  /** Its file is edited: the text as it was at first, changed. */
  apply(change: (text: string) => string): Promise<void>;
}

export function startSharedEngine(): SharedEngine {
  const marker = randomUUID();
  const home = temporaryDirectory();
  const computer = { ...thisComputer({ PATH: process.env['PATH'] }), home };
  const engine = startEngine(computer, silentLog, { keepsFiles: true, sharesServers: true });
  stopWhenTestFinishes(marker, async () => void (await engine.close()));
  return { engine, marker, home, open: (session) => openShared(engine, computer, marker, session) };
}

async function openShared(
  engine: Engine,
  computer: Computer,
  marker: string,
  {
    servers,
    toolbox = 'dev',
    principal = localUser.key,
    env = {},
    cwd = computer.home,
    isModern = false,
    capabilities = {},
    reads = true,
    client = `client ${randomUUID()}`,
    budget,
    answerWithinMs,
  }: SessionSpec,
): Promise<SharedAgent> {
  const box = { [toolbox]: { description: 'Shared', mcpServers: servers } };
  const configFile = writeConfig(temporaryDirectory(), withMarker({ ...devToolbox({}), toolboxes: box }, marker));
  const text = readFileSync(configFile, 'utf8');
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const own = { ...computer, env: { ...computer.env, ...env }, cwd };
  const agent = connectAgent(engine, configFile, {
    ...{ principal: { key: principal }, computer: own, log, reads, budget, answerWithinMs },
  });
  const clientInfo = { name: client, version: '1' };
  if (!isModern) await agent.request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  const inEra = (params: object) => (isModern ? modern(params, capabilities, {}, client) : params);
  const use = (name: string, args: object | undefined, again: object = {}, more: object = {}) => {
    const tool = { toolbox, server: 'any', name };
    return inEra({ name: 'use_tool', arguments: { tool, ...(args && { arguments: args }), ...more }, ...again });
  };
  return Object.assign(agent, {
    lines,
    async apply(change: (text: string) => string) {
      agent.served.apply(await readConfiguration({ path: configFile, text: change(text) }, own, silentLog));
      await agent.served.applied();
    },
    call: (id: number, name: string, args: object | undefined = {}, more = {}) =>
      agent.request(id, 'tools/call', use(name, args, {}, more)),
    begin: (id: number, name: string, args = {}, again = {}) =>
      agent.send({ id, method: 'tools/call', params: use(name, args, again) }),
    open: (id: number) => agent.request(id, 'tools/call', inEra({ name: 'open_toolbox', arguments: { toolbox } })),
  });
}

/** The first text of a result. */
export function textOf({ result }: Message): string {
  const content = isRecord(result) && Array.isArray(result['content']) ? result['content'] : [];
  return String(content[0]?.text);
}
