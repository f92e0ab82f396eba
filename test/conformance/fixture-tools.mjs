// The tools that the conformance suite calls, with the names and answers it expects.
import { setTimeout as wait } from 'node:timers/promises';

export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });

const form = (message, properties, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
});
const sample = (words, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };
const string = { type: 'string' };
const boolean = { type: 'boolean' };

/** Asks one question and returns its answer as text; asks again if the answer is not valid. */
const ask =
  (key, question, describe, state) =>
  ({ answers, args }) => {
    const answer = answers[key];
    if (typeof answer === 'object' && answer !== null) return text(describe(answer));
    const inputRequests = { [key]: typeof question === 'function' ? question(args) : question };
    return { inputRequests, ...(state && { requestState: state }) };
  };
const outcome = ({ action, content }) => `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;

async function threeSteps({ progress }, messages) {
  for (const [step, message] of messages.entries()) {
    progress({ progress: step * 50, total: 100, ...(message && { message }) });
    if (step < messages.length - 1) await wait(50);
  }
}

const defaults = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

const titled = (kind) =>
  ['First', 'Second', 'Third'].map((n, i) => ({ const: `value${i + 1}`, title: `${n} ${kind}` }));
const options = ['option1', 'option2', 'option3'];
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** The resources that the tool links to; the adapter lists them. */
const links = [
  { uri: 'test://static-text', name: 'static-text', description: 'A text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'An image', mimeType: 'image/png' },
  { uri: 'test://template/123/data', name: 'template-123', description: 'A record', mimeType: 'application/json' },
];

const name = form('What is your name?', { name: string });

/** Description, implementation, and input schema if it has arguments. */
const tools = {
  test_simple_text: ['Answers with text', () => text('This is a simple text response for testing.')],
  test_image_content: ['Answers with an image', () => ({ content: [image] })],
  test_audio_content: [
    'Answers with sound',
    () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  ],
  test_embedded_resource: [
    'Answers with a resource',
    () => ({ content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] }),
  ],
  test_multiple_content_types: [
    'Answers with several kinds of content',
    () => ({
      content: [
        ...text('Multiple content types test:').content,
        image,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  ],
  test_error_handling: [
    'Fails',
    () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  ],
  test_tool_with_progress: [
    'Reports progress',
    async (call) => {
      await threeSteps(call, [undefined, undefined, undefined]);
      return text('Tool with progress executed successfully');
    },
  ],
  test_tool_with_logging: [
    'Says what it does while it runs',
    async (call) => {
      await threeSteps(call, ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
      return text('Tool with logging executed successfully');
    },
  ],
  test_logging_tool: ['Has nothing to log for a client that did not ask', () => text('Done')],
  test_sampling: [
    'Asks the model',
    ask(
      'sample',
      ({ prompt }) => sample(prompt),
      ({ content }) => `LLM response: ${content.text}`,
    ),
    { type: 'object', properties: { prompt: string }, required: ['prompt'] },
  ],
  test_elicitation: [
    'Asks the user',
    ask(
      'user',
      ({ message }) =>
        form(message, {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        }),
      ({ action, content }) => `User response: <action: ${action}, content: ${JSON.stringify(content)}>`,
    ),
    { type: 'object', properties: { message: string }, required: ['message'] },
  ],
  test_elicitation_sep1034_defaults: [
    'Asks the user with defaults of every kind',
    ask('user', form('Please review and update the form fields with defaults', defaults, []), outcome),
  ],
  test_elicitation_sep1330_enums: [
    'Asks the user to choose, in every way there is',
    ask('user', form('Please select options from the enum fields', enums, []), outcome),
  ],
  json_schema_2020_12_tool: ['Has a schema of many keywords', () => text('Valid'), schema2020],
  test_input_required_result_elicitation: [
    'Asks for a name',
    ask('user_name', name, ({ content }) => `Hello, ${content?.name}!`),
  ],
  test_input_required_result_sampling: [
    'Asks the model for a capital',
    ask('capital_question', sample('What is the capital of France?'), ({ content }) => content.text),
  ],
  test_input_required_result_list_roots: [
    'Asks for the roots',
    ask('client_roots', roots, (answer) => answer.roots.map(({ uri }) => uri).join('\n')),
  ],
  test_input_required_result_request_state: [
    'Wants its state back',
    (call) => {
      if (call.state !== undefined && call.state !== 'asked to confirm') throw new Error('This is not my state');
      return ask('confirm', form('Please confirm', { ok: boolean }), () => 'state-ok', 'asked to confirm')(call);
    },
  ],
  test_input_required_result_tampered_state: [
    'Wants its state back untouched',
    ask('confirm', form('Please confirm', { ok: boolean }), () => 'state-ok', 'asked to confirm'),
  ],
  test_input_required_result_multiple_inputs: [
    'Asks three questions at once',
    ({ answers }) => {
      const inputRequests = { user_name: name, greeting: sample('Generate a greeting', 50), client_roots: roots };
      if (Object.keys(inputRequests).every((key) => key in answers)) return text('All answered');
      return { inputRequests, requestState: 'asked three' };
    },
  ],
  test_input_required_result_multi_round: [
    'Asks twice',
    ({ answers, state }) => {
      if (state === 'step 2' && answers.step2) return text(`Your colour is ${answers.step2.content?.color}`);
      if (state === 'step 1' && answers.step1) {
        const color = form('Step 2: What is your favorite color?', { color: string });
        return { inputRequests: { step2: color }, requestState: 'step 2' };
      }
      const first = form('Step 1: What is your name?', { name: string });
      return { inputRequests: { step1: first }, requestState: 'step 1' };
    },
  ],
  test_input_required_result_capabilities: [
    'Asks what the client can be asked',
    ({ answers, capabilities }) => {
      const { elicitation, sampling } = capabilities;
      if (Object.keys(answers).length > 0 || !(elicitation || sampling)) return text('There is nothing to ask');
      return {
        inputRequests: {
          ...(elicitation && { user_name: name }),
          ...(sampling && { capital_question: sample('What is the capital of France?') }),
        },
      };
    },
  ],
  test_streaming_elicitation: ['Asks for a name', ask('user_name', name, () => 'Thank you')],
  // Does not check the client's capabilities; the workbench has to.
  test_missing_capability: ['Asks the model, whatever the client', ask('sample', sample('Hello'), () => 'Sampled')],
  test_trigger_tool_change: ['Changes nothing that is listed', () => text('Done')],
  test_trigger_prompt_change: ['Changes nothing that is listed', () => text('Done')],
  test_resource_links: [
    'Answers with links to resources',
    () => ({ content: links.map((link) => ({ type: 'resource_link', ...link })) }),
  ],
};

export const listing = Object.entries(tools).map(([toolName, [description, , inputSchema]]) => ({
  name: toolName,
  description,
  inputSchema: inputSchema ?? { type: 'object', properties: {} },
}));

/** Undefined: there is no such tool. */
export function findTool(toolName) {
  return Object.hasOwn(tools, toolName) ? tools[toolName][1] : undefined;
}
