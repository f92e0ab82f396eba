import type { OwnEntry } from './own-entry.js';

/** The toolboxes that servers of a known kind go into, if there are many of them. */
export type Kind = 'web' | 'data';

interface KnownPackage {
  /** Names of packages, modules, images or hosts. */
  readonly names: readonly string[];
  readonly kind?: Kind;
  /** Variables that it reads and cannot do without. */
  readonly needs?: readonly string[];
  /** Variables of which one is as good as those. */
  readonly or?: readonly string[];
}

/** Only what many people have. Unknown packages need no entry here: they stay in one toolbox, and get what their entry says. */
const table: readonly KnownPackage[] = [
  { kind: 'web', names: ['@playwright/mcp', '@executeautomation/playwright-mcp-server', 'mcp/playwright'] },
  { kind: 'web', names: ['@modelcontextprotocol/server-puppeteer', 'chrome-devtools-mcp', '@browsermcp/mcp'] },
  { kind: 'web', names: ['mcp-server-fetch', 'mcp_server_fetch', 'mcp/fetch', 'duckduckgo-mcp-server', 'browser-use'] },
  { kind: 'web', names: ['@browserbasehq/mcp'], needs: ['BROWSERBASE_API_KEY', 'BROWSERBASE_PROJECT_ID'] },
  {
    kind: 'web',
    names: ['@modelcontextprotocol/server-brave-search', '@brave/brave-search-mcp-server', 'mcp/brave-search'],
    needs: ['BRAVE_API_KEY'],
  },
  { kind: 'web', names: ['tavily-mcp'], needs: ['TAVILY_API_KEY'] },
  { kind: 'web', names: ['exa-mcp-server'], needs: ['EXA_API_KEY'] },
  { kind: 'web', names: ['firecrawl-mcp'], needs: ['FIRECRAWL_API_KEY'], or: ['FIRECRAWL_API_URL'] },
  { kind: 'web', names: ['@perplexity-ai/mcp-server', 'server-perplexity-ask'], needs: ['PERPLEXITY_API_KEY'] },
  { kind: 'web', names: ['@brightdata/mcp'], needs: ['API_TOKEN'] },
  { kind: 'web', names: ['@apify/actors-mcp-server'], needs: ['APIFY_TOKEN'] },
  { kind: 'web', names: ['kagimcp'], needs: ['KAGI_API_KEY'] },
  { kind: 'web', names: ['mcp.tavily.com', 'mcp.exa.ai', 'mcp.firecrawl.dev', 'mcp.browserbase.com'] },
  { kind: 'data', names: ['@modelcontextprotocol/server-postgres', 'mcp/postgres', '@bytebase/dbhub'] },
  { kind: 'data', names: ['mcp-server-sqlite', 'mcp_server_sqlite', 'mcp/sqlite', 'mcp-server-motherduck'] },
  { kind: 'data', names: ['postgres-mcp', 'crystaldba/postgres-mcp'], needs: ['DATABASE_URI'] },
  { kind: 'data', names: ['@modelcontextprotocol/server-redis', 'redis-mcp-server', 'mcp/redis'] },
  {
    kind: 'data',
    names: ['mongodb-mcp-server', 'mongodb/mongodb-mcp-server'],
    needs: ['MDB_MCP_CONNECTION_STRING'],
    or: ['MDB_MCP_API_CLIENT_ID'],
  },
  { kind: 'data', names: ['@benborla29/mcp-server-mysql', 'mcp-server-mysql', 'mysql-mcp-server'] },
  { kind: 'data', names: ['@supabase/mcp-server-supabase'], needs: ['SUPABASE_ACCESS_TOKEN'] },
  { kind: 'data', names: ['@elastic/mcp-server-elasticsearch'], needs: ['ES_URL', 'ES_API_KEY'] },
  { kind: 'data', names: ['mcp-server-qdrant', 'chroma-mcp', 'mcp-neo4j-cypher', 'mcp-server-bigquery'] },
  { kind: 'data', names: ['mcp-clickhouse'], needs: ['CLICKHOUSE_HOST', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD'] },
  { kind: 'data', names: ['mcp.supabase.com', 'mcp.neon.tech'] },
  {
    names: ['@modelcontextprotocol/server-github', 'ghcr.io/github/github-mcp-server', 'mcp/github'],
    needs: ['GITHUB_PERSONAL_ACCESS_TOKEN'],
  },
  { names: ['@modelcontextprotocol/server-gitlab'], needs: ['GITLAB_PERSONAL_ACCESS_TOKEN'] },
  { names: ['@modelcontextprotocol/server-slack'], needs: ['SLACK_BOT_TOKEN', 'SLACK_TEAM_ID'] },
  { names: ['@modelcontextprotocol/server-google-maps'], needs: ['GOOGLE_MAPS_API_KEY'] },
  { names: ['@notionhq/notion-mcp-server'], needs: ['NOTION_TOKEN'], or: ['OPENAPI_MCP_HEADERS'] },
  { names: ['figma-developer-mcp'], needs: ['FIGMA_API_KEY'], or: ['FIGMA_OAUTH_TOKEN'] },
  { names: ['@sentry/mcp-server'], needs: ['SENTRY_ACCESS_TOKEN'] },
  { names: ['@stripe/mcp'], needs: ['STRIPE_SECRET_KEY'] },
];

const known = new Map(table.flatMap((one) => one.names.map((name) => [name, one] as const)));

/** Which toolbox a server would go into; undefined for any other. */
export function kindOf(entry: OwnEntry): Kind | undefined {
  return knownIn(entry).find(({ kind }) => kind !== undefined)?.kind;
}

/**
 * Variables that a program takes from its environment though its entry does not name them: clients pass on all that they
 * have, and the workbench only what an entry says.
 */
export function inheritedBy(entry: OwnEntry): string[] {
  const { args = [], env = {}, env_vars: passed = [] } = entry;
  const given = new Set([...Object.keys(env), ...passed]);
  const needed = knownIn(entry)
    .filter(({ or = [] }) => !or.some((name) => given.has(name)))
    // A key may also be among the arguments.
    .filter(({ needs = [] }) => !args.some((word) => isFlagFor(word, needs)))
    .flatMap(({ needs = [] }) => needs);
  return [...new Set([...needed, ...namedForDocker(entry)])].filter((name) => !given.has(name));
}

function isFlagFor(word: string, names: readonly string[]): boolean {
  const [, flag = ''] = /^--([\w-]+)/.exec(word) ?? [];
  const plain = flag.replaceAll('-', '').toLowerCase();
  return plain.length > 3 && names.some((name) => name.replaceAll('_', '').toLowerCase().endsWith(plain));
}

/** `docker run -e NAME`: the value comes from the environment of docker itself. */
function namedForDocker({ command = '', args = [] }: OwnEntry): string[] {
  if (!/(?:^|[/\\])(?:docker|podman)(?:\.exe)?$/.test(command)) return [];
  const isOption = (word: string) => word.startsWith('-');
  const takesValue = (word: string) => isOption(word) && !word.includes('=');
  const image = args.findIndex((word, index) => index > 0 && !isOption(word) && !takesValue(args[index - 1] ?? ''));
  const own = image === -1 ? args : args.slice(0, image);
  return own.flatMap((word, index) => {
    const name = /^(?:-e|--env)$/.test(word) ? own[index + 1] : /^--env=(.*)$/.exec(word)?.[1];
    return name !== undefined && /^[A-Za-z_]\w*$/.test(name) ? [name] : [];
  });
}

/** Arguments can be as long as a file; the package comes early. */
const mostWords = 30;

function knownIn({ command = '', args = [], url = '' }: OwnEntry): KnownPackage[] {
  const words = [command.replace(/^.*[/\\]/, ''), ...args.slice(0, mostWords)].map(withoutVersion);
  const host = URL.canParse(url) ? [new URL(url).hostname] : [];
  return [...new Set([...words, ...host].flatMap((word) => known.get(word) ?? []))];
}

/** `name@1.2`, `name==1.2`, `image:tag`. */
function withoutVersion(word: string): string {
  return word.length > 200 ? '' : word.replace(/(?<=.)(?:@|==|:)[\w.^~-]*$/, '').replace(/^docker\.io\//, '');
}
