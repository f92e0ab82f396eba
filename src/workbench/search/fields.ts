import type { Tool } from '../../contract/types.js';
import type { Lexicon } from './lexicon.js';
import { parameterText } from './parameters.js';

/** The tools of one server, with what describes the server itself. */
export interface SearchSource {
  readonly toolbox: string;
  readonly server: string;
  /** The title and description that the server gives itself. */
  readonly description?: string | undefined;
  readonly instructions?: string | undefined;
  /** The toolbox description from the configuration. */
  readonly toolboxDescription?: string | undefined;
  readonly tools: readonly Tool[];
}

export interface Field {
  /** How much one occurrence counts. */
  readonly weight: number;
  /** How far a long text is discounted: 0 not at all, 1 in proportion to its length. */
  readonly lengthDiscount: number;
}

/** Names weigh more than descriptions, descriptions more than parameters. */
export const fields: readonly Field[] = [
  { weight: 4, lengthDiscount: 0.5 }, // the tool's name
  { weight: 2, lengthDiscount: 0.5 }, // the server's name
  { weight: 1, lengthDiscount: 0.75 }, // the server's title, description and instructions
  { weight: 2, lengthDiscount: 0.75 }, // the tool's description
  { weight: 0.5, lengthDiscount: 0.75 }, // names of parameters
  { weight: 0.5, lengthDiscount: 0.75 }, // descriptions of parameters
  { weight: 0.5, lengthDiscount: 0.75 }, // the toolbox's name and description
];
export const nameField = 0;

const maxDescription = 6000;
const maxName = 300;

/** One list of terms per field, filled for the fields of the server. */
export function serverFields(source: SearchSource, { learn }: Lexicon): number[][] {
  const name = source.server.slice(0, maxName);
  // Both readings: users search `GitHub` as `github`, `WeatherStation` as `weather station`.
  const names = [...new Set([...learn(name, 'name'), ...learn(name, 'prose')])];
  const description = `${source.description ?? ''} ${source.instructions ?? ''}`;
  const toolbox = `${source.toolbox} ${source.toolboxDescription ?? ''}`;
  const prose = (text: string) => learn(text.slice(0, maxDescription), 'prose');
  return [[], names, prose(description), [], [], [], prose(toolbox)];
}

/** One list of terms per field, filled for the fields of the tool. */
export function toolFields(tool: Tool, { learn }: Lexicon, maxChars: number): number[][] {
  const parameters = parameterText(tool.inputSchema);
  const longest = Math.min(maxChars, maxDescription);
  const title = tool.title ?? tool.annotations?.title ?? '';
  return [
    learn(tool.name.slice(0, maxName), 'name'),
    [],
    [],
    learn(`${title} ${tool.description ?? ''}`.slice(0, longest), 'prose'),
    learn(parameters.names.slice(0, longest), 'name'),
    learn(parameters.descriptions.slice(0, longest), 'prose'),
    [],
  ];
}
