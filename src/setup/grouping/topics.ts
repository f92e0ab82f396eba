import { kindOf } from '../known-packages.js';
import type { OwnEntry } from '../own-entry.js';
import { serverName } from '../server-name.js';

/** What servers can be for. */
export interface Topic {
  /** The name of its toolbox. */
  readonly name: string;
  /** In our own words. */
  readonly about: string;
  /** Words in the names of servers, packages and tools that belong to it, in the singular. */
  readonly signs: ReadonlySet<string>;
}

function topic(name: string, about: string, signs: string): Topic {
  return { name, about, signs: new Set(signs.split(' ')) };
}

const topics: readonly Topic[] = [
  topic(
    'code',
    'Source code, issues and reviews',
    'git github gitlab bitbucket repo repository commit branch pull merge diff issue pr review code lint symbol refactor fork',
  ),
  topic('files', 'Files and folders', 'file directory folder filesystem fs path commander'),
  topic(
    'data',
    'Databases and queries',
    'sql query table schema database db postgre postgres pg mysql mariadb sqlite duckdb mongo mongodb collection redis aggregate supabase neon snowflake bigquery qdrant chroma neo4j elasticsearch clickhouse',
  ),
  topic(
    'web',
    'Browsing and searching the web',
    'browser navigate click screenshot tab url fetch crawl scrape web website playwright puppeteer chrome tavily brave exa firecrawl perplexity duckduckgo html scroll hover',
  ),
  topic(
    'office',
    'Messages, documents and planning',
    'slack discord channel message email mail gmail outlook calendar event notion document sheet drive task ticket linear jira confluence asana trello todo meeting contact inbox reply',
  ),
  topic(
    'ops',
    'Deployments, logs and monitoring',
    'deploy deployment pod cluster kubernete kubernetes k8s namespace container docker log metric alert incident sentry grafana datadog prometheus aws azure gcp cloudflare pipeline workflow build rollback circleci railway terraform vercel environment',
  ),
  topic(
    'design',
    'Designs, images and charts',
    'figma design frame image picture chart diagram svg icon color slide presentation canvas blender',
  ),
  topic(
    'knowledge',
    'Knowledge and documentation to look up',
    'memory entity relation observation knowledge graph note obsidian library doc documentation context7 wiki remember recall',
  ),
  topic(
    'business',
    'Payments, customers and sales',
    'stripe paypal payment invoice customer subscription order product price refund crm deal lead shopify hubspot salesforce',
  ),
];

/** How sure it has to be: a quarter of the tools. */
const least = 0.25;

export interface Judged {
  readonly server: string;
  readonly entry: OwnEntry;
  readonly tools: readonly string[];
}

/** The topic that fits a server best; undefined if none does. Deterministic: of equals, the first. */
export function topicOf({ server, entry, tools }: Judged): Topic | undefined {
  const named = new Set([server, serverName(entry)].flatMap(wordsOf));
  const kind = kindOf(entry);
  const scores = topics.map((one) => {
    const share = tools.length === 0 ? 0 : tools.filter((tool) => hits(one, tool)).length / tools.length;
    const isNamed = [...named].some((word) => one.signs.has(word));
    return share + (isNamed ? 1 : 0) + (kind === one.name ? 2 : 0);
  });
  const best = Math.max(...scores);
  return best < least ? undefined : topics[scores.indexOf(best)];
}

/** Whether the name of a tool says that it is about a topic. */
export function hits({ signs }: Topic, tool: string): boolean {
  return wordsOf(tool).some((word) => signs.has(word));
}

/** Topics come before others that follow them in the table. */
export function byOrder(one: Topic, other: Topic): number {
  return topics.indexOf(one) - topics.indexOf(other);
}

/** `list_pullRequests` → list, pull, request. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => [word, singular(word)]);
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=[a-z]{2})s$/, '');
}
