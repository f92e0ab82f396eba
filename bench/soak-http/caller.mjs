import { Agent, request as send } from 'node:http';

const modernRevision = '2026-07-28';
const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const limitMs = 120_000;

/**
 * A client of one era. Ids count from 1 in all of them, so that they are equal. `token()` is the access token of its user now.
 */
export function createCaller({ url, subject, era, token }) {
  const agent = new Agent({ keepAlive: true });
  const isModern = era === 'modern';
  const mark = `${subject}-${era}`;
  let session;
  let nextId = 1;
  let stream;

  const headersOf = (own) => ({
    ...accepted,
    authorization: `Bearer ${token()}`,
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...own,
  });

  function post(message, own = {}) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = headersOf({ ...own, 'content-length': Buffer.byteLength(body) });
    const request = send(url, { method: 'POST', agent, headers, timeout: limitMs });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.end(body);
    return new Promise((resolve, reject) => {
      request.once('error', reject).once('response', (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece)).once('error', reject);
        response.once('end', () => resolve({ response, body: Buffer.concat(pieces).toString() }));
      });
    });
  }

  /** The message of a call of a tool, and its headers. */
  function callOf(server, name, args, id) {
    const tool = { toolbox: 'soak', server, name };
    const own = isModern && {
      'mcp-protocol-version': modernRevision,
      'mcp-method': 'tools/call',
      'mcp-name': 'use_tool',
      'mcp-param-toolbox': 'soak',
    };
    const meta = {
      progressToken: id,
      ...(isModern && {
        'io.modelcontextprotocol/protocolVersion': modernRevision,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
      }),
    };
    const params = { name: 'use_tool', arguments: { tool, arguments: args }, _meta: meta };
    return { message: { id, method: 'tools/call', params }, own: own || {} };
  }

  return {
    subject,
    async initialize() {
      if (isModern) return;
      const clientInfo = { name: 'soak', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const { response, body } = await post({ id: nextId++, method: 'initialize', params });
      session = response.headers['mcp-session-id'];
      if (session === undefined) throw new Error(`no session: ${response.statusCode} ${body}`);
    },
    /** `{text}` of a result; `problem` if it is none, `crossed` if anything in it belongs to another call. */
    async call(server, tool, args = {}) {
      const id = nextId++;
      const own = `${mark}-${id}-`;
      const sent = callOf(server, tool, { ...args, id: own }, id);
      const { response, body } = await post(sent.message, sent.own);
      return judge({ status: response.statusCode, messages: messagesIn(response, body), body }, id, own);
    },
    /** Begins a call and closes its connection a moment later. */
    async drop(server, afterMs) {
      const id = nextId++;
      const { message, own } = callOf(server, 'sleep', { ms: 10 * afterMs, id: `${mark}-${id}-` }, id);
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const headers = headersOf({ ...own, 'content-length': Buffer.byteLength(body) });
      const request = send(url, { method: 'POST', agent: false, headers });
      request.on('error', () => {});
      request.end(body);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      request.destroy();
    },
    /** Asks for much and reads nothing, until the connection is closed or `afterMs` have passed. */
    async readNothing(server, bytes, afterMs) {
      const id = nextId++;
      const { message, own } = callOf(server, 'blob', { bytes, id: `${mark}-${id}-` }, id);
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const headers = headersOf({ ...own, 'content-length': Buffer.byteLength(body) });
      const request = send(url, { method: 'POST', agent: false, headers });
      request.on('error', () => {});
      request.once('response', (response) => response.on('error', () => {}).pause());
      request.end(body);
      await Promise.race([
        new Promise((resolve) => request.once('close', resolve)),
        new Promise((resolve) => setTimeout(resolve, afterMs).unref()),
      ]);
      request.destroy();
    },
    /** Keeps the stream of a legacy session open; counts what comes there. */
    listen(counted) {
      if (isModern || stream !== undefined) return;
      const headers = headersOf({ accept: 'text/event-stream' });
      const request = send(url, { agent: false, headers });
      stream = request;
      const ended = () => {
        if (stream === request) stream = undefined;
      };
      request.on('error', ended).once('close', ended);
      request.once('response', (response) => {
        response.on('error', ended).once('end', ended);
        response.on('data', (text) => {
          if (String(text).includes('list_changed')) counted.listChanged++;
        });
      });
      request.end();
    },
    close() {
      stream?.destroy();
      agent.destroy();
    },
  };
}

function messagesIn({ headers }, body) {
  try {
    if (!String(headers['content-type']).startsWith('text/event-stream')) return [JSON.parse(body)];
    return Array.from(body.matchAll(/^data: (.*)$/gm), ([, data]) => JSON.parse(data));
  } catch {
    return [];
  }
}

function judge({ status, messages, body }, id, own) {
  const last = messages.at(-1) ?? {};
  const progress = messages.slice(0, -1);
  const isOthers = ({ method, params }) => method === 'notifications/progress' && params.progressToken !== id;
  const problem = (why) => ({ problem: why });
  if (status !== 200) return problem(`HTTP ${status}: ${body.slice(0, 200)}`);
  if (progress.some(isOthers)) return { crossed: `progress of another call: ${body.slice(0, 300)}` };
  if (last.id !== id) return messages.length === 0 ? problem(`no response: ${body.slice(0, 200)}`) : crossed(body);
  if (last.error !== undefined) return problem(last.error.message);
  const text = last.result.content?.map((block) => block.text ?? '').join('\n') ?? '';
  if (last.result.isError) return problem(text);
  return text.includes(own) ? { text, progress: progress.length } : crossed(body);
}

const crossed = (body) => ({ crossed: `the response of another call: ${body.slice(0, 300)}` });
