import * as z from 'zod/mini';
import { isRecord } from '../jsonrpc/json.js';

/** Three separate fields, never one concatenated string: any character may stand in any of them. */
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

/** A tool together with where it lives; `name` is the server's own, untouched. */
export interface ToolInfo extends Tool {
  toolbox: string;
  server: string;
}

/** What `open_toolbox` answers, as compact JSON in one text block. Optional fields are absent when they have nothing to say. */
export interface OpenToolboxResult {
  toolbox: string;
  description: string;
  /** How many servers of this toolbox answer; one that sleeps for idleness counts, the next call wakes it. */
  servers_connected: number;
  /** In configuration order, then in each server's own order. */
  tools: ToolInfo[];
  unavailable?: { server: string; reason: string }[];
  starting?: string[];
  instructions?: { server: string; text: string }[];
  columns?: string[];
  rows?: string[][];
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

/** A tool by its name, or by server and name where several servers have one of that name. */
export type WantedTool = string | { readonly server: string; readonly name: string };

export interface OpenToolboxInput {
  /** `*` stands for all toolboxes, told from what is known. */
  readonly toolbox: string;
  /** Ranks the tools by these words. */
  readonly query?: string | undefined;
  /** Full schemas of just these. */
  readonly tools?: readonly WantedTool[] | undefined;
  readonly detail?: 'full' | 'signatures' | 'names' | undefined;
}

export interface UseToolInput {
  readonly tool: ToolIdentifier;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The part of a Zod schema that callers need; spelled out so that this package's declarations stand alone. */
export interface Schema<T> {
  parse(value: unknown): T;
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: SchemaError };
}

export interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

// Zod words these differently from release to release; the agent reads our words.
function wording(issue: {
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

const name = (label: string) => z.string({ error: wording }).check(z.minLength(1, `${label} name cannot be empty`));

const toolIdentifier = z.strictObject(
  { toolbox: name('Toolbox'), server: name('Server'), name: name('Tool') },
  { error: wording },
);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The object itself passes, not a copy: a copy would lose a key named `__proto__`.
const toolArguments = z.pipe(
  z.optional(z.unknown()),
  z.transform((value: unknown, context): Readonly<Record<string, unknown>> => {
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
    query: z.optional(z.string({ error: wording })),
    tools: z.optional(z.array(wantedTool, { error: wording })),
    detail: z.optional(z.enum(['full', 'signatures', 'names'], { error: "Expected 'full', 'signatures' or 'names'" })),
  },
  { error: wording },
);

export const UseToolInputSchema: Schema<UseToolInput> = z.pipe(
  z.strictObject({ tool: toolIdentifier, arguments: toolArguments }, { error: wording }),
  z.transform((input) => ({ tool: input.tool, arguments: input.arguments ?? {} })),
);
