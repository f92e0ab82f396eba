/** As Codex speaks it: the tools of an MCP server are in a namespace. */
export const responsesApi = {
  path: /^\/v1\/responses$/,
  streams: ({ stream }) => stream,

  /** All texts of the conversation, and the results of its calls. */
  read({ input }) {
    const parts = input.flatMap(({ content }) => content ?? []);
    const results = input.filter(({ type }) => type === 'function_call_output').map(({ output }) => textOf(output));
    return { texts: parts.flatMap(({ text }) => text ?? []), results };
  },

  call(server, name, args) {
    const call_id = `call_${crypto.randomUUID()}`;
    return response({
      type: 'function_call',
      call_id,
      namespace: `mcp__${server}`,
      name,
      arguments: JSON.stringify(args),
    });
  },

  say: (text) => response({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
};

function textOf(output) {
  return typeof output === 'string' ? output : output.map(({ text }) => text).join('\n');
}

function response(item) {
  const id = `resp_${crypto.randomUUID()}`;
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id, usage } },
  ];
}
