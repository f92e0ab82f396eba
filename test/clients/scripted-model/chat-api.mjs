/** The Chat Completions API of OpenAI, as opencode, Qwen Code, Copilot CLI, Cline and Continue speak it. */
export const chatApi = {
  path: /\/chat\/completions$/,
  streams: ({ stream }) => stream,

  /** All texts of the conversation, and the results of its calls. */
  read({ messages }) {
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => textsOf(content).join(''));
    return { texts: messages.flatMap(({ content }) => textsOf(content)), results };
  },

  /** Each client has its own way to name a tool of a server. */
  call(server, tool, args, { tools = [] }) {
    const names = tools.map(({ function: { name } }) => name);
    const name =
      names.find((one) => one.includes(server) && one.endsWith(tool)) ??
      names.find((one) => one.endsWith(tool)) ??
      tool;
    const call = { index: 0, id: `call_${crypto.randomUUID()}`, type: 'function' };
    const delta = { tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(args) } }] };
    return chunks(delta, 'tool_calls');
  },

  say: (content) => chunks({ content }, 'stop'),
};

function textsOf(content) {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap(({ text }) => text ?? []);
}

function chunks(delta, finish_reason) {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
    '[DONE]',
  ];
}
