/** Between two questions about a task, of a server that wants to be asked more often. */
export const shortestPollMs = 1_000;
/** The same for one that wants to be asked less often: progress should not be older. */
export const longestPollMs = 60_000;
/** A server that loses its answers about a task so often in a row is lost. */
export const maxLostPolls = 3;
/** What the answer about a task may have beside its result. Servers put texts there, of which the agent gets the beginning. */
export const maxTaskStateBytes = 16_777_216;
/** A longer id would be sent with every request about the task. */
export const longestTaskId = 4_096;
/** How long a server may take to cancel a task; only the end of a connection over HTTP waits for it. */
export const taskCancelMs = 5_000;
