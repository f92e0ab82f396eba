/**
 * An MCP server to be measured through, in plain Node: its own cost is as near to nothing as can be.
 *
 *   --name TEXT     for its log
 *   --start-ms N    reads nothing before this much time has passed, as a server that is slow to load
 *   --tools N       lists N more tools
 *   --log FILE      appends a JSON line for its start, for every call when it is executed and when it is cancelled
 *   --helper        starts a process that stays and holds its stdout
 *
 * Calls may carry an `id` among their arguments: it is logged, and stands at the start of the answer.
 */
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { onLine } from './rig/lines.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'fake' },
    'start-ms': { type: 'string', default: '0' },
    tools: { type: 'string', default: '0' },
    log: { type: 'string' },
    helper: { type: 'boolean', default: false },
  },
});

const logFile = options.log === undefined ? undefined : openSync(options.log, 'a');
const running = new Map();
const blobs = new Map();

// Written at once and by one system call: what was executed is known even if this process is killed the next moment.
function log(entry) {
  if (logFile !== undefined) writeSync(logFile, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
}

/** Text that JSON can copy as it is, or such as files are made of: lines, quotes, letters beyond ASCII. */
const patterns = { plain: 'x', text: 'const naïve = "a line of text";\n\tif (naïve === "") return;\n' };

function blob(bytes, pattern) {
  const key = `${pattern} ${bytes}`;
  if (!blobs.has(key)) {
    blobs.clear();
    const piece = patterns[pattern];
    blobs.set(key, piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece))));
  }
  return blobs.get(key);
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const answerTo = (args, value) => text(args.id === undefined ? value : `${args.id} ${value}`);

const tools = {
  echo: (args) => answerTo(args, args.text ?? ''),
  blob: (args) => answerTo(args, blob(args.bytes, args.pattern ?? 'plain')),
  async sleep(args, { signal }) {
    await pause(args.ms, undefined, { signal });
    return answerTo(args, `slept ${args.ms} ms`);
  },
  async steps(args, { signal, progressToken }) {
    for (let progress = 1; progress <= args.count; progress++) {
      await pause(args.everyMs, undefined, { signal });
      if (progressToken !== undefined)
        send({ method: 'notifications/progress', params: { progressToken, progress, total: args.count } });
    }
    return answerTo(args, `${args.count} steps`);
  },
  fail: (args) => ({ ...answerTo(args, 'failed on purpose'), isError: true }),
  refuse(args) {
    throw Object.assign(new Error(`${args.id} refused on purpose`), { code: -32_050 });
  },
};

function describe(name) {
  const properties = { id: { type: 'string', description: 'Stands at the start of the answer' } };
  return { name, description: `The tool ${name} of a fake server.`, inputSchema: { type: 'object', properties } };
}

const listing = [
  ...Object.keys(tools).map(describe),
  ...Array.from({ length: Number(options.tools) }, (_, index) => describe(`more_${index}`)),
];

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function call(id, { name, arguments: args = {}, _meta }) {
  log({ executed: args.id });
  const cancel = new AbortController();
  running.set(id, { cancel, callId: args.id });
  try {
    const result = await (tools[name] ?? tools.echo)(args, {
      signal: cancel.signal,
      progressToken: _meta?.progressToken,
    });
    send({ id, result });
  } catch (error) {
    // A cancelled request gets no answer.
    if (!cancel.signal.aborted) send({ id, error: { code: error.code ?? -32_603, message: error.message } });
  } finally {
    running.delete(id);
  }
}

function cancelled({ requestId }) {
  const ended = running.get(requestId);
  if (ended === undefined) return;
  log({ cancelled: ended.callId });
  ended.cancel.abort();
}

function receive({ id, method, params }) {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'fake', version: '1.0.0' };
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
      return;
    }
    case 'tools/list':
      send({ id, result: { tools: listing } });
      return;
    case 'tools/call':
      void call(id, params);
      return;
    case 'ping':
      send({ id, result: {} });
      return;
    case 'notifications/cancelled':
      cancelled(params);
      return;
    default:
      if (id !== undefined) send({ id, error: { code: -32_601, message: 'Method not found' } });
  }
}

function serve() {
  onLine(process.stdin, (line) => receive(JSON.parse(line.toString())));
  process.stdin.on('end', () => process.exit(0));
}

log({ started: options.name });
if (options.helper) spawn('sleep', ['3600'], { stdio: ['ignore', 'inherit', 'inherit'] });
if (options['start-ms'] === '0') serve();
else setTimeout(serve, Number(options['start-ms']));
