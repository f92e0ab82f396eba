// The limits of what is shown and kept of results.

/** The beginning of a large text, if a quarter of what the client shows is more. */
export const longestBeginning = 8_000;
/** What `resultBudgetChars` is at least: an outline and the next call must fit. */
export const leastResultBudget = 3_000;
/** Kept results of one session. */
export const maxKeptResults = 100;
/** A kept result that was not read for so long is dropped. */
export const keptResultMs = 3_600_000;
/** A larger result is kept in a file, if there is one. */
export const longestKeptInMemory = 65_536;
/** Smaller results of one session, in memory. */
export const maxKeptMemoryBytes = 4_194_304;
/** The same where no file can be used. */
export const maxKeptWithoutFileBytes = 8_388_608;
/** One of the two files of a session. When the second is full, the first is closed, and what was in it is gone. */
export const keptFileBytes = 33_554_432;
/** What one process keeps for all its sessions; over that, the session that keeps most loses its older file. */
export const maxKeptBytes = 536_870_912;
