import http from 'node:http';

const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Streamable HTTP: every message is a POST, answered in its response as JSON or as an event. */
export function streamableHttp(url, receive) {
  const agent = new http.Agent({ keepAlive: true });
  const headers = { ...accepted };
  return {
    open: () => Promise.resolve(),
    async send(message) {
      const { response, body } = await post(url, { agent, headers }, message);
      const session = response.headers['mcp-session-id'];
      if (session !== undefined) headers['mcp-session-id'] = session;
      const isStream = response.headers['content-type']?.startsWith('text/event-stream');
      const answers = isStream ? body.split(/\r?\n\r?\n/).map((event) => fieldOf(event, 'data')) : [body];
      for (const answer of answers) if (answer.trim() !== '') receive(JSON.parse(answer));
    },
    close: () => agent.destroy(),
  };
}

/** The older HTTP with SSE: one event stream carries the address to post to, then all responses. */
export function httpWithEvents(url, receive) {
  const agent = new http.Agent({ keepAlive: true });
  let address;
  let stream;
  return {
    async open() {
      stream = await respond(http.get(url, { headers: { accept: 'text/event-stream' } }));
      stream.on('error', () => {});
      let text = '';
      await new Promise((resolve, reject) => {
        stream.once('close', () => reject(new Error(`HTTP ${stream.statusCode}, without an address to post to`)));
        stream.setEncoding('utf8').on('data', (piece) => {
          const events = (text + piece).split(/\r?\n\r?\n/);
          text = events.pop();
          for (const event of events) {
            const data = fieldOf(event, 'data');
            if (fieldOf(event, 'event') === 'endpoint') {
              address = new URL(data, url);
              resolve();
            } else if (data !== '') receive(JSON.parse(data));
          }
        });
      });
    },
    send: (message) => post(address, { agent, headers: accepted }, message),
    close() {
      stream?.destroy();
      agent.destroy();
    },
  };
}

async function post(url, options, message) {
  const request = http.request(url, { method: 'POST', ...options });
  request.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const response = await respond(request);
  const pieces = [];
  for await (const piece of response) pieces.push(piece);
  const body = Buffer.concat(pieces).toString();
  if (response.statusCode >= 400) throw new Error(`HTTP ${response.statusCode}: ${body}`);
  return { response, body };
}

function respond(request) {
  return new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
}

/** The value of a field of an event; empty if absent. */
function fieldOf(event, name) {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trimStart()).join('\n');
}
