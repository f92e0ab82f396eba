/**
 * A model whose prompt is its script, for clients that speak the Messages API of Anthropic or the Responses API of OpenAI, as streams.
 *
 * The prompt is `{"calls": [CALL…]}`; CALL has the arguments of `use_tool`. It answers with one call after the other, then with the result of the
 * last. Every call but the first is held until a line comes on stdin; `held RESULT` is printed for it, with the result before it as JSON.
 *
 * It prints `listening PORT` and exits when its stdin ends.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { messagesApi } from './scripted-model/messages-api.mjs';
import { responsesApi } from './scripted-model/responses-api.mjs';

const apis = [messagesApi, responsesApi];
const released = once(process.stdin, 'data');

const server = createServer(async (request, response) => {
  response.on('error', () => {});
  const { pathname } = new URL(request.url, 'http://model');
  const api = apis.find(({ path }) => path === pathname);
  const body = await text(request);
  if (api === undefined || !JSON.parse(body).stream) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamOf(await nextEvents(api, body)));
});

async function nextEvents(api, body) {
  const { texts, results } = api.read(JSON.parse(body));
  const calls = texts.flatMap(callsIn);
  const next = calls[results.length];
  if (next === undefined) return api.say(results.at(-1) ?? 'The prompt has no script.');
  if (results.length > 0) {
    process.stdout.write(`held ${JSON.stringify(results.at(-1))}\n`);
    await released;
  }
  return api.call('workbench', 'use_tool', next);
}

function callsIn(prompt) {
  return prompt.startsWith('{"calls":') ? JSON.parse(prompt).calls : [];
}

function streamOf(events) {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`listening ${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0));
