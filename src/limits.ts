// Every limit that protects the workbench, its agents and its servers from each other, with its reason. The settings among them
// can be changed in the configuration file; docs/config.md lists those. Nothing is imported here, so any file may import it.
// Numbers are written out: the bundler keeps an unused constant that is computed.

/** The settings that apply where a file gives none. */
export const builtInSettings = {
  openTimeoutMs: 45_000,
  openBudgetChars: 20_000,
  startTimeoutMs: 120_000,
  callTimeoutMs: 300_000,
  callTotalTimeoutMs: 3_600_000,
  idleTimeoutMs: 600_000,
  maxConcurrentCalls: 32,
  maxQueuedCalls: 256,
  maxMessageBytes: 67_108_864,
  maxResultBytes: 9_437_184,
  runnerRefreshMs: 3_600_000,
} as const;

/** Answers of `open_toolbox` for clients that show less of a result than others, by the name that they report. */
export const clientBudgets = {
  /** It shows 8,000 characters, and of a longer result the beginning and the end. */
  '@cline/core': { budgetChars: 7_000, inBytes: false },
  /** It shows 20,480 bytes, and of a longer result the first 500 characters. */
  'copilot-cli': { budgetChars: 20_000, inBytes: true },
} as const;

/** What of a result a client counts, and shows: its text, its structured content if it has one, both, or the whole result as JSON. */
export type CountedResult = 'text' | 'structured' | 'both' | 'json';

type ClientResults = Readonly<Record<string, { chars: number; counts: CountedResult; inBytes?: true }>>;

/** The largest result that a client shows whole, by the name that it reports; measured, with some room. Others get every result whole. */
export const clientResults: ClientResults = {
  'claude-code': { chars: 48_000, counts: 'structured' },
  'codex-mcp-client': { chars: 38_000, counts: 'structured' },
  'gemini-cli-mcp-client': { chars: 36_000, counts: 'text' },
  opencode: { chars: 48_000, counts: 'text' },
  'qwen-cli-mcp-client': { chars: 27_000, counts: 'both' },
  'copilot-cli': { chars: 20_000, counts: 'both', inBytes: true },
  '@cline/core': { chars: 7_000, counts: 'json' },
  'continue-cli-client': { chars: 60_000, counts: 'text' },
};

/** When a call is answered with the id of its result, in ms, by the name that the client reports: 10 s before that gives up. */
export const clientWaits: Readonly<Record<string, number>> = {
  '@cline/core': 50_000,
  'continue-cli-client': 50_000,
  'codex-mcp-client': 290_000,
  'gemini-cli-mcp-client': 590_000,
  'qwen-cli-mcp-client': 590_000,
};

// --- Opening a toolbox ---

/** An open is answered once a server is ready and no other has become ready for this long: one that hangs must not cost `openTimeoutMs`. */
export const quietOpenMs = 5_000;
/** How long an open waits for a server if an earlier wait for it has timed out since it was last ready. */
export const overdueWaitMs = 3_000;

// --- Messages of the agent ---

/** A longer one is dropped while it arrives. A host parses the messages of all its sessions, one after the other. */
export const longestAgentMessage = 8_388_608;

/** An id is sent back in every message about its request. */
export const longestRequestId = 4_096;

/** A file or stdin as an argument of `mcp-workbench call`: the message with it must still be accepted. */
export const maxArgumentBytes = 8_323_072;

/** Of a query. An agent that pastes a whole document into it means its beginning. */
export const maxQueryChars = 4_000;
/** Steps of a query that are ranked one by one; an answer has no room for the tools of more. */
export const maxQuerySteps = 10;

// --- Messages to the agent ---

/** The official client drops the connection at 10 MiB, which includes what else it has not processed yet. */
export const longestMessageToAgent = 10_354_688;
/** What our response adds to the result of a server. */
export const responseOverheadBytes = 65_536;
/** A server that reports nothing for this long: clients that wait only while there is progress get one of ours. They wait for 60 s or more. */
export const signOfLifeMs = 15_000;
/** The text of a progress notification: clients show it in one line. */
export const longestProgressText = 1_000;
/** Progress is dropped while more than this waits for the agent: results matter more. */
export const backlogWithoutProgressBytes = 12_582_912;
/** While more than this waits for the agent, nothing is read from its servers. With one more message it stays below 32 MB. */
export const backlogWithoutReadingBytes = 16_777_216;
/** While more than this waits for the agent, nothing is read from it: only answers to its own requests lead there. */
export const backlogWithoutInputBytes = 33_554_432;

/** An answer to a query: an agent may search several times for one task. */
export const maxQueryAnswerTokens = 900;

// --- What servers list ---

/** A server can invent pages without end. */
export const maxToolPages = 100;
/** Entries of a listing, usable or not; the largest servers have some hundreds. */
export const maxTools = 2_000;
/** All pages of a listing together. What comes after that is never parsed. */
export const maxListingBytes = 8_388_608;
/** A listing over these limits is not made again for an unknown name while it is younger: reading it takes a tenth of a second. */
export const cutListingAgeMs = 10_000;
/** One tool as JSON. A larger one alone would be longer than an answer. */
export const maxToolChars = 65_536;
/** Levels inside a tool; code that walks it may be recursive. */
export const maxToolDepth = 64;
/** Values inside a tool. */
export const maxToolNodes = 10_000;
/** Steps to describe the schemas of one listing; a schema can be made that costs thousands. */
export const maxListingWork = 300_000;
/** The references of real schemas are a few names long; a longer one is not followed, because each of its steps costs time. */
export const longestReference = 500;
/** Of the descriptions of one server, and as much again of the names and descriptions of its parameters. */
export const maxIndexedChars = 300_000;
/** Choices of one tool that are a hidden character, such as a separator; more could spell a text. */
export const maxHiddenValues = 10;
/** As the protocol recommends. */
export const longestToolName = 128;
/** What a server says about itself. No listing has room for more, and the lock of all servers has to hold a copy of each. */
export const longestInstructions = 20_000;
/** The name and version that a server gives itself; they are shown in one line. */
export const longestSoftware = 80;

// --- Checks of arguments after a tool has failed ---

/** Levels of the arguments that are checked; deeper ones seldom explain a failure. */
export const maxCheckDepth = 8;
/** A schema of a few lines can ask for more comparisons than a computer can make. */
export const maxCheckSteps = 10_000;
/** References from one to the next; a circle of them has no end. */
export const maxFollowedReferences = 8;

// --- Questions ---

/** A user may need minutes to answer; a call that waits longer is lost anyway. */
export const answerTimeoutMs = 600_000;
/** Calls that wait for answers of one modern agent; each holds a call to a server. */
export const maxParkedCalls = 100;
/** A server may require input again and again. */
export const maxInputRounds = 20;
/** More questions in one call than any user wants to answer. */
export const maxQuestionsPerCall = 20;
/** How long users may take for all answers of a call; then its timeouts continue to run. */
export const maxWaitForAnswersMs = 600_000;
/** Clients answer for their roots by themselves. A server that asks for them when it starts gets its first call after this, answered or not. */
export const maxRootsWaitMs = 10_000;
/** A question is shown to a user, who reads no more. */
export const longestQuestionBytes = 65_536;

/** A call that the user declined is refused for this long if it is repeated, without another question. */
export const declinedCallMs = 60_000;
/** Arguments of a call that a person is asked about; one with more is refused, because a person would not read them all. */
export const mostShownArguments = 200;
/** Of the name of such an argument; a call with a longer one is refused as well. */
export const longestShownName = 200;
/** Approved calls of one session whose server requires input; each is one call that an agent can continue. */
export const maxCarriedApprovals = 1_000;

// --- Results ---

/** Resources linked from results of one server that can still be read. */
export const maxRoutesPerServer = 1_000;
/** A link with a longer URI cannot be read. */
export const longestResourceUri = 2_000;

// --- Output of servers ---

/** A message that is neither the result of a call nor a listing: handshake, notification, question. */
export const maxOtherMessageBytes = 1_048_576;
/** Characters such as U+2028 in a message to the agent. Each has to be escaped, and millions take seconds. */
export const maxLineSeparators = 100_000;
/** Levels of a message of either side. Clients give up at 128 (Rust), 200 (Python) or crash at some thousands. */
export const maxMessageDepth = 100;
/** Objects, arrays and commas of a message of either side. Parsing millions blocks everybody for seconds. */
export const maxMessageParts = 500_000;
/** The text of an error that a server answers with; agents read it as a whole. */
export const longestErrorText = 10_000;
/** Then the server is ended: its stdout is not a protocol. */
export const maxGarbageLinesPerMinute = 10_000;
/** Warnings of one kind about one server; more are counted. */
export const maxWarningsPerMinute = 3;
/** Bytes that wait for a server that does not read its stdin; then further calls fail as busy until it reads. */
export const maxServerBacklogBytes = 33_554_432;
/** Lines of stderr that are logged; more are counted. A server that writes millions must not keep us busy with its log. */
export const maxStderrLinesPerSecond = 2_000;
/** One line of stderr in a log; the rest of it is dropped. */
export const longestStderrLine = 2_000;
/** So many of the last lines of stderr are searched for the cause of a failure; a crash dump has up to some dozens. */
export const maxSearchedLines = 64;
/** What these lines take in memory, for as long as the server lives. */
export const maxSearchedBytes = 131_072;
/** One line of output that is searched; the rest of it says no more. */
export const longestSearchedLine = 500;
/** So many of the last lines are quoted in a reason, if no crash dump names the cause. */
export const maxQuotedLines = 8;
/** All that is quoted of the output of a server in a reason; the rest of the reason says what happened. */
export const longestQuotedOutput = 360;
/** Why a server cannot be used; agents and people read it as one line. */
export const longestReason = 500;
/** The same for an agent that has read it before in its session. */
export const longestBriefReason = 120;
/** The log of one server; a full file is renamed once, so it takes twice this much. */
export const maxServerLogBytes = 1_000_000;
/** Characters that wait to be written to the log of a server; further lines are dropped and counted. */
export const maxServerLogQueue = 256_000;

// --- Remote servers ---

/** Retry-After of a server; one that asks for more is asked again after this time. */
export const maxRetryAfterMs = 3_600_000;
/** The request that ends a session on the other side; the client waits for the workbench to exit. */
export const maxTerminationMs = 2_000;
/** Answers to requests of a remote server, and notifications, that are being sent: each takes a connection. */
export const maxAnswersInFlight = 16;
/** Answers that wait for their turn; a server that asks for more does not get all of them. */
export const maxAnswersWaiting = 1_000;
/** An answer that a server does not take; the next one gets its turn. */
export const answerDeliveryMs = 30_000;
/** DNS, proxy, TCP and TLS together; a server that takes longer to connect to cannot be reached. */
export const connectTimeoutMs = 15_000;
/** An idle connection to a server. Many servers close theirs after 5 s, and a request sent at that moment may be lost. */
export const idleSocketMs = 4_000;
/** A connection on which nothing moves is checked after this, so that a network that is gone ends it. */
export const tcpKeepAliveMs = 30_000;
/** From one URL to the next; a server needs one or two. */
export const maxRedirects = 5;
/** The body of a redirect is read to keep its connection; a larger one costs more than a new connection. */
export const maxDiscardedBytes = 65_536;
/** The same for its time. */
export const maxDiscardingMs = 1_000;

/** A login, from the question to the redirect of the browser. */
export const loginTimeoutMs = 300_000;
/** One request to an authorization server. */
export const loginRequestMs = 30_000;
/** What an authorization server answers; metadata has some kilobytes. */
export const maxLoginBodyBytes = 1_048_576;
/** Another process may hold the lock of a login while it renews it, within this time. */
export const maxLoginLockMs = 60_000;
/** After a user declined a login, the question is not repeated for this long. */
export const declinedLoginMs = 60_000;
/** A token that expires within this time is renewed before it is used. */
export const renewAheadMs = 60_000;

// --- Variables from a program ---

/** A program of `envCommand`; one that takes longer probably waits for input. */
export const envCommandMs = 30_000;
/** What it prints; more is not a list of variables. */
export const maxEnvCommandBytes = 1_000_000;

// --- Files ---

/** What is written at the end. A file on an unresponsive disk must not keep the process alive. */
export const flushLimitMs = 500;

/** A stored login; the metadata of an authorization server is the most of it. */
export const maxLoginFileBytes = 2_000_000;

/** A part of the program; on a disk that does not respond, loading it would never end. */
export const partLimitMs = 30_000;
/** A larger file is not a configuration written by a person. */
export const maxConfigBytes = 10_000_000;
/** Names, values and signs of a configuration that is not plainly valid; 15,000 servers have as many. Checking more takes a second. */
export const maxConfigTokens = 400_000;
/** How long the last text of a configuration file that loaded is kept, and used while the file has a fault. */
export const lastGoodMs = 2_592_000_000;
/** A larger file is not a list of variables. */
export const maxEnvFileBytes = 1_000_000;
/** A larger file is not the value of one variable. */
export const maxReferencedBytes = 100_000;
/** Characters of what npm says about a failure. */
export const maxNpmWords = 400;
/** The file of a client: Claude Code's has a few megabytes after years. Parsing one of this size takes a second or two. */
export const maxClientFileBytes = 30_000_000;
/** The same for the first screen, which has to be there at once. */
export const maxQuickClientFileBytes = 10_000_000;
/** The list of what the user trusts, a hundred bytes per entry. */
export const maxTrustBytes = 10_000_000;
/** The tools of one server in the cache; a larger listing is not cached. */
export const maxCachedToolsBytes = 10_000_000;
/** The lock of a configuration: a thousand tools take about three megabytes. */
export const maxLockBytes = 16_000_000;
/** What the lock keeps of one server. Of a larger listing it has only digests: 2,000 of them are smaller. */
export const maxLockedServerBytes = 1_000_000;
/** Objects, arrays and commas of a lock: more than fit into one that we have written, each on a line of its own. */
export const maxLockParts = maxLockBytes / 10;
/** Another process may be writing the same lock file. */
export const maxLockWaitMs = 5_000;
