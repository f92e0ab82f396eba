/** As Gemini CLI speaks it. */
export const geminiApi = {
  path: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  streams: () => true,

  /** All texts of the conversation, and the results of its calls. */
  read({ contents }) {
    const parts = contents.flatMap(({ parts: all = [] }) => all);
    const results = parts.flatMap(({ functionResponse }) => (functionResponse ? [resultIn(functionResponse)] : []));
    return { texts: parts.flatMap(({ text }) => text ?? []), results };
  },

  call: (server, name, args) => response({ functionCall: { name: `mcp_${server}_${name}`, args } }),

  say: (text) => response({ text }),
};

/** What the model reads: a text, with marks around what others wrote, or an error. */
function resultIn({ response: { output, error } }) {
  return output?.replace(/^<untrusted_context>\n([^]*)\n<\/untrusted_context>$/, '$1') ?? `error: ${error}`;
}

function response(part) {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return [
    { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata },
  ];
}
