/**
 * node sdk-caller.mjs URL: the SDK's own client, connected to a server over Streamable HTTP. For a line `N` on stdin it makes
 * N calls of 100 B, one at a time, and writes their durations in milliseconds as one line of JSON.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onLine } from './rig/lines.mjs';

const [, , url] = process.argv;
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await client.listTools();

async function run(calls) {
  const ms = [];
  for (let done = 0; done < calls; done++) {
    const begun = performance.now();
    await client.callTool({ name: 'blob', arguments: { bytes: 100 } });
    ms.push(performance.now() - begun);
  }
  return ms;
}

onLine(process.stdin, async (line) => console.log(JSON.stringify(await run(Number(line)))));
process.stdin.on('end', () => process.exit(0));
