// Every limit that protects the workbench, its agents and its servers from each other, with its reason. The settings among them
// can be changed in the configuration file; docs/config.md lists them. Nothing here is imported, so any file may import it.
// Numbers are written out: the bundler keeps an unused constant that is computed.

/** The settings that apply where a file gives none. */
export const builtInSettings = {
  openTimeoutMs: 45_000,
  openBudgetChars: 32_000,
  startTimeoutMs: 120_000,
  callTimeoutMs: 60_000,
  callTotalTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
  maxConcurrentCalls: 32,
  maxQueuedCalls: 256,
  maxMessageBytes: 67_108_864,
  maxResultBytes: 9_437_184,
} as const;

// --- Messages of the agent ---

/** A longer line is dropped while it arrives: it would have to be kept in memory as a whole. */
export const longestAgentMessage = 67_108_864;

/** An id is sent back in every message about its request. */
export const longestRequestId = 4_096;

// --- Messages to the agent ---

/** The official client drops the connection at 10 MiB, which includes what else it has not processed yet. */
export const longestMessageToAgent = 10_354_688;
/** What our response adds to the result of a server. */
export const responseOverheadBytes = 65_536;
/** The text of a progress notification: clients show it in one line. */
export const longestProgressText = 1_000;
/** Progress is dropped while more than this waits for the agent: results matter more. */
export const backlogWithoutProgressBytes = 1_048_576;
/** While more than this waits for the agent, nothing is read from its servers. With one more message it stays below 32 MB. */
export const backlogWithoutReadingBytes = 16_777_216;

// --- What servers list ---

/** A server can invent pages without end. */
export const maxToolPages = 100;

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
/** A question is shown to a user, who reads no more. */
export const longestQuestionBytes = 65_536;

// --- Results ---

/** Resources linked from results of one server that can still be read. */
export const maxRoutesPerServer = 1_000;
/** A link with a longer URI cannot be read. */
export const longestResourceUri = 2_000;

// --- Output of servers ---

/** Bytes that wait for a server that does not read; then it is ended. */
export const maxServerBacklogBytes = 33_554_432;
/** One line of stderr in a log. */
export const longestStderrLine = 2_000;
/** One of the last lines of stderr in a reason. */
export const longestQuotedStderrLine = 500;
export const maxQuotedStderrLines = 8;
/** The log of one server; a full file is renamed once, so it takes twice this much. */
export const maxServerLogBytes = 1_000_000;
/** Lines of a server that wait to be written to its log. */
export const maxServerLogQueue = 256_000;

// --- Files ---

export const maxConfigBytes = 10_000_000;
export const maxEnvFileBytes = 1_000_000;
/** The tools of one server in the cache. */
export const maxCachedToolsBytes = 10_000_000;
