/**
 * An MCP server for benchmarks, in plain Node, that costs as little as possible.
 *
 *   --name TEXT     for its log and its tool `name`
 *   --start-ms N    reads nothing before this time has passed, like a server that is slow to load
 *   --tools N       lists N more tools
 *   --log FILE      appends a JSON line for its start, for every call it executes and for every cancellation
 *   --helper        starts a long-lived process that holds its stdout
 *
 * The arguments of a call may have an `id`: it is logged, and begins the answer.
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

// Synchronous, in one system call: the log is complete even if this process is killed right after.
function log(entry) {
  if (logFile !== undefined) writeSync(logFile, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
}

/** Text that needs no escapes in JSON, and text as in files: lines, quotes, non-ASCII letters. */
const patterns = { plain: 'x', text: 'const naïve = "a line of text";\n\tif (naïve === "") return;\n' };

const repeated = (piece, bytes) => piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));

/** A list of issues, as JSON with its indentation. */
function jsonList(bytes) {
  const items = [];
  for (let size = 0; size < bytes; size += items.at(-1).length + 2) {
    const number = items.length + 1;
    const labels = [{ name: number % 100 === 0 ? 'timeout' : `area ${number % 7}`, color: 'd73a4a' }];
    const body = repeated('It does not do what the page says it does. ', 600);
    const issue = { number, title: `Question about module ${number}`, comments: number % 41, labels, body };
    items.push(JSON.stringify(issue, undefined, 2));
  }
  return `[${items.join(',\n')}]`;
}

function blob(bytes, pattern) {
  const key = `${pattern} ${bytes}`;
  if (!blobs.has(key)) {
    blobs.clear();
    blobs.set(key, pattern === 'list' ? jsonList(bytes) : repeated(patterns[pattern], bytes));
  }
  return blobs.get(key);
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const answerTo = (args, value) => text(args.id === undefined ? value : `${args.id} ${value}`);

const tools = {
  echo: (args) => answerTo(args, args.text ?? ''),
  name: (args) => answerTo(args, options.name),
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
  const properties = { id: { type: 'string', description: 'Begins the answer' } };
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
    // A cancelled request gets no response.
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
