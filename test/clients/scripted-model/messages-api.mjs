/** As Claude Code speaks it. */
export const messagesApi = {
  path: /^\/v1\/messages$/,
  streams: ({ stream }) => stream,

  /** All texts of the conversation, and the results of its calls. */
  read({ messages }) {
    const blocks = messages.flatMap(({ content }) => blocksOf(content));
    const results = blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(blocksOf(content)));
    return { texts: blocks.flatMap(({ text }) => text ?? []), results };
  },

  call(server, tool, input) {
    const block = { type: 'tool_use', id: `toolu_${crypto.randomUUID()}`, name: `mcp__${server}__${tool}`, input: {} };
    return message(block, { type: 'input_json_delta', partial_json: JSON.stringify(input) }, 'tool_use');
  },

  say: (text) => message({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn'),
};

function blocksOf(content = []) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textOf(blocks) {
  return blocks.map(({ text }) => text).join('\n');
}

function message(content_block, delta, stop_reason) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const id = `msg_${crypto.randomUUID()}`;
  const start = { id, type: 'message', role: 'assistant', model: 'scripted', content: [], stop_reason: null, usage };
  return [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
