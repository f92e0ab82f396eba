import * as z from 'zod/mini';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { type ResultOptions, readResultOptions, typeName } from './result-options.js';

export type { ResultOptions };

/** Three separate fields, never one concatenated string: each may contain any character. */
export interface ToolIdentifier {
  readonly toolbox: string;
  readonly server: string;
  readonly name: string;
}

/** A tool as its server describes it (MCP's `Tool`). Fields of later protocol revisions are kept. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema?: { [keyword: string]: unknown };
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
  _meta?: { [key: string]: unknown };
  [field: string]: unknown;
}

/** A tool with its toolbox and server; `name` is the server's own, unchanged. */
export interface ToolInfo extends Tool {
  toolbox: string;
  server: string;
  /** A rule of the user: a person is asked before each call. */
  asks?: true | undefined;
}

/** The answer of `open_toolbox`, sent as compact JSON in one text block. Empty optional fields are absent. */
export interface OpenToolboxResult {
  toolbox: string;
  description: string;
  /**
   * The number of connected servers, including those asleep after their idle timeout, which the next call wakes, and those
   * still starting whose tools are known from an earlier run, for which a call waits.
   */
  servers_connected: number;
  /** In configuration order, then in each server's own order. */
  tools: ToolInfo[];
  unavailable?: { server: string; reason: string }[];
  /** Servers still starting of whose tools nothing is known. */
  starting?: string[];
  instructions?: { server: string; text: string }[];
  columns?: string[];
  /** A cell of the column `inputSchema` is a schema, any other a text. */
  rows?: (string | { readonly [keyword: string]: unknown })[][];
  notes?: string[];
}

/** The result of a tool call as the server sent it. */
export interface CallToolResult {
  content?: { type: string; [field: string]: unknown }[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: { [key: string]: unknown };
  [field: string]: unknown;
}

/** A tool by its name, or by server and name if several servers have a tool of that name. */
export type WantedTool = string | { readonly server: string; readonly name: string };

export interface OpenToolboxInput {
  /** `*` stands for the known tools of all toolboxes. */
  readonly toolbox: string;
  /** Ranks the tools by these words. */
  readonly query?: string | undefined;
  /** Lists only these, with full schemas. */
  readonly tools?: readonly WantedTool[] | undefined;
  readonly detail?: 'full' | 'signatures' | 'names' | undefined;
}

export interface UseToolInput {
  readonly tool: ToolIdentifier;
  readonly arguments: JsonObject;
  /** Absent if the result is wanted as it is. */
  readonly result?: ResultOptions | undefined;
}

/** The part of a Zod schema that callers need, declared here so that this package's types do not depend on Zod. */
export interface Schema<T> {
  parse(value: unknown): T;
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: SchemaError };
}

export interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

// Zod's own messages change between releases; these are part of the contract.
function messageFor(issue: {
  code?: string;
  expected?: string;
  input?: unknown;
  keys?: readonly string[];
}): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    return `Unrecognized key(s) in object: ${(issue.keys ?? []).map((key) => `'${key}'`).join(', ')}`;
  }
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined ? 'Required' : `Expected ${issue.expected}, received ${typeName(issue.input)}`;
}

const name = (label: string) => z.string({ error: messageFor }).check(z.minLength(1, `${label} name cannot be empty`));

const toolIdentifier = z.strictObject(
  { toolbox: name('Toolbox'), server: name('Server'), name: name('Tool') },
  { error: messageFor },
);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The object itself is passed on: a copy would lose a key named `__proto__`.
const toolArguments = z.pipe(
  z.optional(z.unknown()),
  z.transform((value: unknown, context): JsonObject => {
    const given = typeof value === 'string' ? parsedJson(value) : (value ?? {});
    if (isRecord(given)) return given;
    context.issues.push({ code: 'custom', message: `Expected object, received ${typeName(value)}`, input: value });
    return z.NEVER;
  }),
);

export const ToolIdentifierSchema: Schema<ToolIdentifier> = toolIdentifier;

const wantedTool = z.union([name('Tool'), z.strictObject({ server: name('Server'), name: name('Tool') })], {
  error: 'Expected the name of a tool, or an object with server and name',
});

export const OpenToolboxInputSchema: Schema<OpenToolboxInput> = z.strictObject(
  {
    toolbox: name('Toolbox'),
    query: z.optional(z.string({ error: messageFor })),
    tools: z.optional(z.array(wantedTool, { error: messageFor })),
    detail: z.optional(z.enum(['full', 'signatures', 'names'], { error: "Expected 'full', 'signatures' or 'names'" })),
  },
  { error: messageFor },
);

const resultOptions = z.pipe(
  z.optional(z.unknown()),
  z.transform((value: unknown, context): ResultOptions | undefined => {
    const { options, faults } = readResultOptions(value);
    for (const { path, message } of faults) {
      context.issues.push({ code: 'custom', message, input: value, path: [...path] });
    }
    return faults.length === 0 ? options : z.NEVER;
  }),
);

export const UseToolInputSchema: Schema<UseToolInput> = z.pipe(
  z.strictObject({ tool: toolIdentifier, arguments: toolArguments, result: resultOptions }, { error: messageFor }),
  z.transform((input, context): UseToolInput => {
    const { tool, result } = input;
    const args = input.arguments ?? {};
    if (result?.of !== undefined && Object.keys(args).length > 0) {
      const message = 'not with result.of, which calls nothing';
      context.issues.push({ code: 'custom', message, input: args, path: ['arguments'] });
    }
    return result === undefined ? { tool, arguments: args } : { tool, arguments: args, result };
  }),
);
