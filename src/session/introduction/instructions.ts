import type { Overview } from '../../config/overview.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { tokensAtMost } from '../../text/estimate-tokens.js';
import { shorten } from '../../text/shorten.js';
import { type ToolboxTexts, toolboxTexts } from './toolbox-texts.js';

const longest = 2_000;
const longestExampleName = 40;

/** The instructions for the agent: how to work, then the toolboxes. Made from the configuration alone. */
export function instructions(overview: Overview): string {
  if (overview.fault !== undefined) return `${overview.fault}\n${origin(overview)}`;
  if (overview.toolboxes.length === 0) return `${noToolbox(overview)}\n${origin(overview)}`;
  return `${lead(overview)}${textsOf(overview).inInstructions}`;
}

// Tokens of all texts except the names and descriptions of the toolboxes; a test counts them.
const fixedTokens = 436;
const baseTokens = 540;
const tokensPerToolbox = 34;
/** Clients search for the names of servers, each of which is in three texts. */
const tokensPerServer = 12;
const usualServers = 2;
/** A long path must not hide toolboxes. */
const maxVariableTokens = 100;
const maxTokens = 2_400;
/** In a description, beside the list of toolboxes and the example. */
const fixedDescriptionChars = 140;

const cached = new WeakMap<Overview, ToolboxTexts>();

/**
 * The texts on the toolboxes. With two servers in each, all texts together cost about 500 tokens for one toolbox, 700 for eight
 * and 1,350 for 30; with many servers at most 850 for five toolboxes and 1,600 for 30.
 */
export function textsOf(overview: Overview): ToolboxTexts {
  // Computed once: the instructions and the meta-tools must agree, and fitting the texts takes time.
  const texts = cached.get(overview) ?? decide(overview);
  cached.set(overview, texts);
  return texts;
}

function decide(overview: Overview): ToolboxTexts {
  const example = Object.values(exampleTool(overview)).join(' ');
  // A notice is rare, and must not hide toolboxes.
  const variableTokens = tokensAtMost(`${origin({ ...overview, notice: undefined })} ${example} ${example}`);
  return toolboxTexts(overview.toolboxes, {
    tokens: budgetFor(overview) - fixedTokens - Math.min(variableTokens, maxVariableTokens),
    instructionChars: longest - lead(overview).length,
    descriptionChars: longest - fixedDescriptionChars - exampleCall(overview).length,
  });
}

function budgetFor({ toolboxes }: Overview): number {
  const servers = toolboxes.reduce((sum, toolbox) => sum + toolbox.servers.length, 0);
  const unusual = Math.max(0, servers - usualServers * toolboxes.length);
  const usual = baseTokens + Math.max(0, toolboxes.length - 1) * tokensPerToolbox;
  return Math.min(usual + unusual * tokensPerServer, mostTokens(toolboxes.length));
}

/** However many servers there are. */
function mostTokens(toolboxes: number): number {
  return Math.min(850 + Math.max(0, toolboxes - 5) * 30, maxTokens);
}

function lead(overview: Overview): string {
  return `MCP servers in toolboxes; they start when needed.
1. open_toolbox({"toolbox":NAME,"query":TASK}) finds tools, with toolbox "*" in all toolboxes; without "query" it lists all.
2. use_tool calls one, with toolbox, server and name as listed; "result" gets part of a large result:
use_tool(${exampleCall(overview)})
${origin(overview)}
Toolboxes:
`;
}

/** Input of use_tool. */
export function exampleCall(overview: Overview): string {
  return JSON.stringify({ tool: exampleTool(overview), arguments: {} });
}

function exampleTool({ toolboxes: [toolbox] }: Overview): ToolIdentifier {
  return {
    toolbox: exampleName(toolbox?.name, 'TOOLBOX'),
    server: exampleName(toolbox?.servers[0], 'SERVER'),
    name: 'a_tool_it_lists',
  };
}

/** A placeholder instead of a very long name; a shortened name would be wrong. */
function exampleName(name: string | undefined, placeholder: string): string {
  return name === undefined || name.length > longestExampleName ? placeholder : name;
}

function origin({ configFile, notice }: Overview): string {
  const used =
    configFile !== undefined
      ? `Configuration: ${shorten(configFile, 300)}`
      : 'Configuration: none found; this is the embedded default. Its tools explain how to write one.';
  return notice === undefined ? used : `${used}\n${notice}`;
}

function noToolbox({ configFile }: Overview): string {
  const where = configFile !== undefined ? 'the configuration file' : 'a file workbench-config.json';
  return `MCP Workbench has no toolbox configured, so there are no tools to use. To add one, put into ${where}: {"toolboxes": {"NAME": {"description": "what it is for", "mcpServers": {"SERVER": {"command": "npx", "args": ["-y", "PACKAGE"]}}}}}. It takes effect when it is saved.`;
}
