import * as http from 'node:http';
import { version } from '../../src/platform/version.js';
import { listen } from './loopback.js';

export interface Recorder {
  /** The server's URL, on the recorder's own port. */
  readonly url: string;
  /** Every request so far, as it is on the wire: request line, headers in their order and spelling, body. */
  readonly requests: () => readonly string[];
}

/** Forwards requests to a server, and records them. What differs from run to run has a name instead: `<host>`, `<session>`, `<version>`. */
export async function startRecorder(target: string): Promise<Recorder> {
  const { origin, pathname, port: targetPort } = new URL(target);
  const requests: string[] = [];
  const sessions = new Set<string>();

  async function record(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url = '', headers, rawHeaders } = incoming;
    const lines = rawHeaders
      .flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
      // The version is in the body.
      .map((line) => (line === `content-length: ${body.length}` ? 'content-length: <right>' : line));
    requests.push([`${method} ${url}`, ...lines, '', body.toString()].join('\n').trimEnd());
    const forwarded = http.request(`${origin}${url}`, { method, headers, agent: false }, (response) => {
      const { 'mcp-session-id': session } = response.headers;
      if (typeof session === 'string') sessions.add(session);
      outgoing.writeHead(response.statusCode ?? 500, response.headers).flushHeaders();
      response.on('data', (chunk: Buffer) => {
        const found = /sessionId=([\w-]+)/.exec(chunk.toString())?.[1];
        if (found !== undefined) sessions.add(found);
      });
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.once('close', () => forwarded.destroy());
    forwarded.end(body);
  }

  const server = http.createServer((incoming, outgoing) => {
    record(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const { port } = await listen(server);
  const steady = (text: string) =>
    [...sessions]
      .reduce((changed, session) => changed.replaceAll(session, '<session>'), text)
      .replaceAll(`127.0.0.1:${port}`, '<host>')
      .replaceAll(`127.0.0.1:${targetPort}`, '<host>')
      .replaceAll(`"version":"${version}"`, '"version":"<version>"');
  return { url: `http://127.0.0.1:${port}${pathname}`, requests: () => requests.map(steady) };
}
