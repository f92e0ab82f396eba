import { firstSentence } from '../../text/first-sentence.js';
import { withoutHidden } from '../../text/hidden.js';
import { hits, type Topic, wordsOf } from './topics.js';

/** A server as far as a description is made of it. */
export interface DescribedServer {
  readonly server: string;
  readonly tools: readonly string[];
  /** What it says about itself. */
  readonly says: string | undefined;
}

/** What the servers of a toolbox are about. */
export interface Subject {
  readonly topics: readonly Topic[];
  /** Some of them are about none of the topics. */
  readonly hasOthers: boolean;
  readonly project: string | undefined;
}

const mostTools = 4;
const mostTopics = 3;
/** More are not worth more: long names are not better ones. */
const mostNewWords = 4;
const longestQuote = 80;

/**
 * What a toolbox is for, in our own words and names of tools. Names of servers are not in it: the agent reads them beside it.
 * Of the server's own text there is at most its first sentence, in quotes, and only where nothing else is known.
 */
export function describeGroup(
  servers: readonly DescribedServer[],
  { topics, hasOthers, project }: Subject,
): string | undefined {
  const about = [
    ...(project === undefined ? [] : [`Project ${project}`]),
    ...topics.slice(0, mostTopics).map((topic) => topic.about),
    ...(topics.length > mostTopics || (topics.length > 0 && hasOthers) ? ['other tools'] : []),
  ]
    .map((words, index) => (index === 0 ? words : lowerFirst(words)))
    .join('; ');
  const tools = exampleTools(servers, topics);
  if (about !== '') return tools.length === 0 ? about : `${about}: ${tools.join(', ')}`;
  const [only] = servers;
  const quote = servers.length === 1 ? quoteOf(only?.says) : '';
  if (quote !== '') return `Its server says: "${quote}"`;
  return tools.length === 0 ? undefined : `Tools such as ${tools.join(', ')}`;
}

/** Of each server in turn, the words that say most: about the topics, and what no other has said. */
function exampleTools(servers: readonly DescribedServer[], topics: readonly Topic[]): string[] {
  const said = new Set<string>();
  const chosen = new Set<string>();
  const worth = (tool: string) =>
    (topics.some((topic) => hits(topic, tool)) ? mostNewWords : 0) +
    Math.min(mostNewWords - 1, wordsOf(tool).filter((word) => !said.has(word)).length);
  for (let turn = 0; turn < mostTools; turn++)
    for (const { server, tools } of servers) {
      const left = tools.filter((tool) => isPlain(tool) && !chosen.has(tool) && !names(tool, server));
      const [best] = left.toSorted((one, other) => worth(other) - worth(one));
      if (best === undefined || chosen.size === mostTools) continue;
      chosen.add(best);
      for (const word of wordsOf(best)) said.add(word);
    }
  return [...chosen];
}

function names(tool: string, server: string): boolean {
  return tool.toLowerCase().includes(server.toLowerCase());
}

/** A name, and nothing that could be read as a sentence. */
function isPlain(tool: string): boolean {
  return /^[A-Za-z][\w.-]{1,31}$/.test(tool) && tool.split(/[_.-]/).length < 6;
}

function quoteOf(says: string | undefined): string {
  return firstSentence(withoutHidden(says ?? '').replaceAll('"', "'"), longestQuote);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
