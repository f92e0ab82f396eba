// The limits of calls that were answered before they ended.

/** Calls of one session that were answered with an id and that no request waits for. A further call waits for its result. */
export const maxUnattendedCalls = 32;
/** The same for all sessions of one process. */
export const maxUnattendedCallsPerProcess = 256;
