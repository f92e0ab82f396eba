/**
 * A model whose prompt is its script, for clients that speak the Messages API of Anthropic, the Responses or the Chat
 * Completions API of OpenAI, or the Gemini API, as streams.
 *
 * The prompt is `{"calls": [CALL…]}`; CALL has the arguments of `use_tool`. It answers with one call after the other, then with the result of the
 * last. Every call but the first is held until a line comes on stdin; `held RESULT` is printed for it, with the result before it as JSON.
 *
 * It prints `listening PORT` and exits when its stdin ends.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { chatApi } from './scripted-model/chat-api.mjs';
import { geminiApi } from './scripted-model/gemini-api.mjs';
import { messagesApi } from './scripted-model/messages-api.mjs';
import { responsesApi } from './scripted-model/responses-api.mjs';

const apis = [messagesApi, responsesApi, chatApi, geminiApi];
const released = once(process.stdin, 'data');

const server = createServer(async (request, response) => {
  response.on('error', () => {});
  const { pathname } = new URL(request.url, 'http://model');
  const api = apis.find(({ path }) => path.test(pathname));
  const body = await text(request);
  if (api?.streams(JSON.parse(body)) !== true) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamOf(await nextEvents(api, body)));
});

async function nextEvents(api, body) {
  const conversation = JSON.parse(body);
  const { texts, results } = api.read(conversation);
  const calls = texts.map(callsIn).find((found) => found.length > 0) ?? [];
  const next = calls[results.length];
  // Some ask for a title of the conversation beside it.
  if (next === undefined || conversation.tools?.length === 0 || (api === chatApi && !conversation.tools))
    return api.say(results.at(-1) ?? 'The prompt has no script.');
  if (results.length > 0) {
    process.stdout.write(`held ${JSON.stringify(results.at(-1))}\n`);
    await released;
  }
  return api.call('workbench', 'use_tool', next, conversation);
}

function callsIn(said) {
  // Some clients escape quotes, and write something around it.
  const prompt = said.includes('{\\"calls\\":') ? said.replaceAll('\\"', '"') : said;
  const [begin, end] = [prompt.indexOf('{"calls":'), prompt.lastIndexOf(']}') + 2];
  return begin === -1 ? [] : JSON.parse(prompt.slice(begin, end)).calls;
}

function streamOf(events) {
  const named = ({ type }) => (type === undefined ? '' : `event: ${type}\n`);
  const dataOf = (event) => (typeof event === 'string' ? event : JSON.stringify(event));
  return events.map((event) => `${named(event)}data: ${dataOf(event)}\n\n`).join('');
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`listening ${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0));
