import { type Prompt, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const prompts: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'A simple prompt' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt that holds a resource',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt that holds an image' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' },
];

/** The workbench has no prompts and no completion, but the suite requires both: these belong to the adapter. */
export function addPrompts(server: Server): void {
  server.registerCapabilities({ prompts: {}, completions: {} });
  server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts] }));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
    const { arg1 = '', arg2 = '', resourceUri = '' } = params.arguments ?? {};
    switch (params.name) {
      case 'test_simple_prompt':
        return { messages: [userText('This is a simple prompt for testing.')] };
      case 'test_prompt_with_arguments':
        return { messages: [userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
      case 'test_prompt_with_embedded_resource': {
        const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
        const embedded = { role: 'user' as const, content: { type: 'resource' as const, resource } };
        return { messages: [embedded, userText('Please process the embedded resource above.')] };
      }
      case 'test_prompt_with_image': {
        const content = { type: 'image' as const, data: png, mimeType: 'image/png' };
        return { messages: [{ role: 'user', content }, userText('Please analyze the image above.')] };
      }
      case 'test_input_required_result_prompt':
        return mcpReq.inputResponses === undefined ? asksForContext : { messages: [userText('Use the context.')] };
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    }
  });
}

function userText(text: string) {
  return { role: 'user' as const, content: { type: 'text' as const, text } };
}

const asksForContext = {
  resultType: 'input_required' as const,
  inputRequests: {
    user_context: {
      method: 'elicitation/create' as const,
      params: {
        message: 'What context should the prompt use?',
        requestedSchema: {
          type: 'object' as const,
          properties: { context: { type: 'string' as const } },
          required: ['context'],
        },
      },
    },
  },
};
