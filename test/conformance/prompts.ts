import { rpcCode } from '../../src/jsonrpc/messages.js';
import { RequestProblem } from '../../src/jsonrpc/request-problem.js';
import { cachedForMinute } from '../../src/session/introduction/identity.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const prompts: readonly object[] = [
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

type Params = Readonly<Record<string, unknown>>;

/** What the workbench does not have, but the suite requires: these belong to the adapter. Undefined: it is something else. */
export function answerOfAdapter(method: string, params: Params): object | undefined {
  switch (method) {
    case 'prompts/list':
      return { prompts, ...cachedForMinute };
    case 'prompts/get':
      return prompt(params);
    case 'completion/complete':
      return { completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } };
    default:
      return undefined;
  }
}

/** What 2026-07-28 has no more, but the suite for 2025-11-25 requires. */
export const legacyUtilities: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

function prompt({ name, arguments: given, inputResponses }: Params): object {
  const { arg1 = '', arg2 = '', resourceUri = '' } = { arg1: '', arg2: '', resourceUri: '', ...Object(given) };
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [userText('This is a simple prompt for testing.')] };
    case 'test_prompt_with_arguments':
      return { messages: [userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
    case 'test_prompt_with_embedded_resource': {
      const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
      const embedded = { role: 'user', content: { type: 'resource', resource } };
      return { messages: [embedded, userText('Please process the embedded resource above.')] };
    }
    case 'test_prompt_with_image': {
      const content = { type: 'image', data: png, mimeType: 'image/png' };
      return { messages: [{ role: 'user', content }, userText('Please analyze the image above.')] };
    }
    case 'test_input_required_result_prompt':
      return inputResponses === undefined ? asksForContext : { messages: [userText('Use the context.')] };
    default:
      throw new RequestProblem(rpcCode.invalidParams, `Unknown prompt: ${String(name)}`);
  }
}

function userText(text: string) {
  return { role: 'user', content: { type: 'text', text } };
}

const asksForContext = {
  resultType: 'input_required',
  inputRequests: {
    user_context: {
      method: 'elicitation/create',
      params: {
        message: 'What context should the prompt use?',
        requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
      },
    },
  },
};
